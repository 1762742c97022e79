"""The picture of a competition for link previews, or with ``?player=`` that of one player's row.

It comes from the standings that the public may see, so a freeze hides on it what it hides on the page.
"""

from datetime import datetime

from django.http import Http404, HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import override
from django.views.decorators.http import require_safe

from competitions.core.lifecycle import Phase
from competitions.models import Competition
from competitions.phases import phase_word
from competitions.selectors.results.revisions import latest_numbers
from competitions.selectors.standings.history import history
from competitions.selectors.standings.standings import page as page_of_rows
from competitions.views.access import as_seen, visible
from foundation import clock
from leaderboards import formats
from leaderboards.choices import Visibility
from leaderboards.core.hues import hue_of
from leaderboards.core.marks import mark_of
from leaderboards.drawing import BoardPicture, CardRow, OwnPicture
from leaderboards.selectors import BoardPage, Movement, Row
from leaderboards.stores.base import Page
from leaderboards.views.components.pictures import (
    language_asked,
    move_words,
    picture_response,
    player_asked,
    rank_words,
    zoned,
)
from leaderboards.views.components.table_rows import Move, move_of, result
from leaderboards.views.http.viewer import Viewer, may_be_signed_in, viewer_of

SHOWN = 3


@require_safe
def competition_card(request: HttpRequest, number: int) -> HttpResponse:
    """Return a PNG of 1200×630; 404 for players without a visible rank. Pictures of private ones are not public."""
    competition, at = visible(request, number), clock.now()
    is_public = competition.board.visibility == Visibility.PUBLIC and competition.published_at is not None
    viewer = viewer_of(request) if may_be_signed_in(request) else Viewer(None)
    player = player_asked(request)
    is_own = viewer.linked and viewer.player == player
    with override(language_asked(request)), as_seen(competition, viewer if is_own else Viewer(None)):
        page = page_of_rows(competition, at, Page(0, SHOWN), player)
        if player is None:
            return picture_response(request, _of_competition(competition, page, at), is_public=is_public)
        if page.me is None:
            raise Http404(f"{player} has no rank to show in competition {number}.")
        return picture_response(request, _of_player(competition, page, page.me, at), is_public=is_public and not is_own)


def _of_competition(competition: Competition, page: BoardPage, at: datetime) -> BoardPicture:
    board = competition.board
    rows = page.standings.rows
    places = [
        CardRow(row.rank or nth, row.name, row.player, result(board, row), tied=(row.tied or 1) > 1)
        for nth, row in enumerate(rows, 1)
    ]
    return BoardPicture(
        hue=hue_of(board.seq, board.hue),
        title=competition.name,
        mark=mark_of(competition.name),
        under=_dates(competition, at),
        places=places,
        empty=_("Nothing is shown before the reveal.") if competition.timeline.shows_nothing(at) else _nobody(at, page),
        footer=_footer(competition, page, at),
    )


def _nobody(at: datetime, page: BoardPage) -> str:
    ends_at = page.standings.period.ends_at
    return _("Nobody scored.") if ends_at and ends_at <= at else _("Nobody has scored yet.")


def _of_player(competition: Competition, page: BoardPage, me: Row, at: datetime) -> OwnPicture:
    board = competition.board
    move, since = _move(competition, me, at)
    return OwnPicture(
        hue=hue_of(board.seq, board.hue),
        title=competition.name,
        mark=mark_of(competition.name),
        under=_dates(competition, at),
        player=me.player,
        name=me.name,
        rank_label=_("Rank"),
        rank=rank_words(me),
        total=_("of %(total)s") % {"total": formats.number(page.standings.total)},
        result=result(board, me),
        move=move_words(move, since),
        direction=move.direction if move else "",
        footer=_footer(competition, page, at),
    )


def _move(competition: Competition, me: Row, at: datetime) -> tuple[Move | None, str]:
    """Return the change of rank since the last look, while the competition runs, and when that was."""
    moments = history(competition, me.player, at) if competition.phase(at) is Phase.RUNNING else []
    if not moments:
        return None, ""
    last = moments[-1]
    movement = Movement(last.at, {me.player: last.rank}, is_whole=False)
    zone = competition.timezone
    return move_of(me, movement), zoned(formats.time_or_date(last.at, zone, at), zone)


def _dates(competition: Competition, at: datetime) -> str:
    zone, seconds = competition.timezone, competition.timeline.is_short
    ends = [
        formats.date_and_time(each, zone, at, seconds=seconds) for each in (competition.starts_at, competition.ends_at)
    ]
    return zoned(" – ".join(ends), zone)


def _footer(competition: Competition, page: BoardPage, at: datetime) -> str:
    """Say how far the standings go: the phase, and the moment of the standings if they may still change."""
    phase, zone = competition.phase(at), competition.timezone
    word = phase_word(phase, latest_numbers([competition.pk]).get(competition.pk, 1) if phase is Phase.FINAL else 1)
    word = word[:1].upper() + word[1:]
    if phase in (Phase.FINAL, Phase.CANCELLED, Phase.DRAFT, Phase.OPEN):
        return word
    as_of = _("As of %(moment)s") % {"moment": zoned(formats.moment(page.standings.as_of, zone), zone)}
    return f"{word} · {as_of}"
