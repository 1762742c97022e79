"""A player's page: current standings, what they have finished, and final ranks. Template tags of other apps add
competitions, rewards and attendance.

Private boards are not shown, even to staff, because the page is cached for all viewers.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from foundation import clock
from foundation.errors import NotFound
from leaderboards import selectors
from leaderboards.core.erased_ids import is_id_of_erased
from leaderboards.models import Board, Player, Visibility
from leaderboards.selectors import FinalPlace, PlayerRow
from leaderboards.selectors.history.career import MOST_TROPHIES, career_of
from leaderboards.selectors.visibility.restrictions import (
    ANY_BOARD,
    NOT_EXCLUDED,
    Exclusion,
    exclusion_of,
    restricted,
    viewing_as,
)
from leaderboards.views.components.career import medals_of, record_cards, rival_lines, trophies_of
from leaderboards.views.components.period_labels import period_words
from leaderboards.views.components.preview import LinkPreview, place_words, preview_html
from leaderboards.views.components.rank_chart import RankChart, rank_chart_of, with_current_rank
from leaderboards.views.components.table_rows import result
from leaderboards.views.components.trophies import trophies_elsewhere
from leaderboards.views.components.window_dates import dates_html
from leaderboards.views.http.micro_cache import micro_cached
from leaderboards.views.http.responses import page_number, pages_of, private
from leaderboards.views.player_pages.follow import follow_button

FINALS_A_PAGE = 10
PLACES_PREVIEWED = 3
TROPHIES_SHOWN = 5  # the others open below


@dataclass(frozen=True, slots=True)
class Standing:
    """A player's current place on a board."""

    board: Board
    found: PlayerRow
    result: str
    period: dict[str, Any]
    way: RankChart | None


@require_safe
@micro_cached
def player(request: HttpRequest, player: str) -> HttpResponse:
    """Show the public data of a player. 404 if they are unknown, banned, or excluded from all boards.

    Excluded players see their own page when signed in: hidden players are told so, shadowed players are not.
    """
    rows = Player.objects.filter(external_id=player, banned_at=None)
    known = rows.annotate(is_out=restricted(None, ""), is_restricted=restricted(ANY_BOARD, ""))
    shown = known.first() if "\0" not in player else None
    is_own = shown is not None and request.user.is_authenticated and shown.user_id == request.user.pk
    if shown is None or (shown.is_out and not is_own):
        raise Http404("There is no such player.")
    with viewing_as(player if is_own else None):
        return _page(
            request, shown, exclusion_of(shown) if is_own and shown.is_restricted else NOT_EXCLUDED, is_own=is_own
        )


def _page(request: HttpRequest, shown: Player, hidden_on: Exclusion, *, is_own: bool) -> HttpResponse:
    number = page_number(request)
    finals, total = selectors.final_places(shown, (number - 1) * FINALS_A_PAGE, FINALS_A_PAGE)
    standings = _standings(shown)
    context = {
        "player": shown,
        "is_own": is_own,
        "button": None if is_own else follow_button(request, shown),
        "hidden_on": hidden_on,
        "standings": standings,
        "first_end": _ending_first(standings),
        "preview": _preview(shown, standings),
        **_career(shown),
        "finals": [_final(place) for place in finals],
        "number": number,
        "pages": pages_of(total, FINALS_A_PAGE),
    }
    return private(render(request, "leaderboards/player.html", context))


def _preview(shown: Player, standings: Sequence[Standing]) -> SafeString:
    """Return the preview of links to the page: the player's best places now."""
    best = sorted(standings, key=lambda each: each.found.row.rank or 0)[:PLACES_PREVIEWED]
    words = [place_words(each.board.name, each.found.row, each.found.total) for each in best]
    return preview_html(LinkPreview(str(shown), " · ".join(words) or _("Trophies, records and rivals.")))


def _career(shown: Player) -> dict[str, Any]:
    """Return medals, trophies, records and rivals. Who was erased keeps their final ranks alone."""
    if is_id_of_erased(shown.external_id, shown.pk):
        return {}
    at, career = clock.now(), career_of(shown)
    boards = Board.objects.filter(visibility=Visibility.PUBLIC).in_bulk(
        {*(each.board for each in career.records), *(each.board for each in career.trophies)}
    )
    elsewhere = trophies_elsewhere(shown, at)
    won = sorted([*trophies_of(career, boards, shown, at), *elsewhere], key=lambda each: each.at, reverse=True)
    others = Player.objects.filter(banned_at=None).in_bulk([each.player for each in career.rivals])
    rivals = {pk: other for pk, other in others.items() if not is_id_of_erased(other.external_id, pk)}
    return {
        "medals": medals_of(career, elsewhere),
        "trophies": won[:TROPHIES_SHOWN],
        "more_trophies": won[TROPHIES_SHOWN:MOST_TROPHIES],
        "records": record_cards(career, boards, at),
        "rivals": rival_lines(career.rivals, rivals, boards, shown, at),
    }


def _final(place: FinalPlace) -> tuple[FinalPlace, str, str]:
    """Return a final rank with the dates of its period and the result as text."""
    return place, dates_html(place.board, place.period, clock.now(), names_zone=True), result(place.board, place)


def _ending_first(standings: Sequence[Standing]) -> Standing | None:
    """Return the standing whose period ends first."""
    running = [each for each in standings if each.period["seconds_left"] is not None]
    return min(running, key=lambda each: each.period["seconds_left"], default=None)


def _standings(shown: Player) -> list[Standing]:
    at, rows = clock.now(), {}
    for board in selectors.boards_of(shown):
        with suppress(NotFound):  # they were removed meanwhile
            rows[board] = selectors.player_row(board, shown.external_id)
    history = selectors.rank_history(
        shown.external_id, [(board, row.period.label, row.rules) for board, row in rows.items()]
    )
    return [
        Standing(
            board,
            row,
            result(board, row.row),
            period_words(board, row.period, at),
            rank_chart_of(board, with_current_rank(history[board.seq], row.row, row)),
        )
        for board, row in rows.items()
    ]
