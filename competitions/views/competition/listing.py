"""The list of competitions: running, upcoming and past ones."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import chain

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from competitions.core.lifecycle import Phase
from competitions.models import Competition
from competitions.phases import phase_word
from competitions.selectors.competitions import (
    CompetitionSummary,
    competitions_called,
    competitions_known,
    summaries_of,
)
from competitions.selectors.participants.participants import competitions_of_player
from competitions.selectors.results.revisions import latest_numbers
from competitions.selectors.series.series import series_known
from competitions.views.access import visible_competitions
from competitions.views.competition.leaders import Leader, leaders_of
from competitions.views.competition.words import timed_of
from competitions.views.series import may_know_series
from foundation import clock
from foundation.numbers import whole_number
from leaderboards.choices import Visibility
from leaderboards.views.components.preview import list_preview
from leaderboards.views.http.micro_cache import expire_cache_at, micro_cached
from leaderboards.views.http.responses import etag_of, page_response
from leaderboards.views.http.viewer import viewer_of

PAST_A_PAGE = 12
MOST_CALLED = 20
EVERY_SECONDS = 10
OVER = (Phase.PROVISIONAL, Phase.FINAL, Phase.CANCELLED)


@dataclass(frozen=True, slots=True)
class Card:
    """A competition in the list; ``seconds_left`` until its start or end, None when it is over.

    ``has_joined``: whether the viewer's own player takes part.
    """

    listed: CompetitionSummary
    word: str
    starts: str
    ends: str
    seconds_left: int | None
    leader: Leader | None = None
    has_joined: bool = False

    @property
    def hides_leader(self) -> bool:
        """Whether a freeze hides who leads."""
        return self.listed.phase is Phase.FROZEN


@require_safe
@micro_cached
def competitions(request: HttpRequest) -> HttpResponse:
    """List the competitions that the visitor may see; with ``?board=`` those of one board."""
    at = clock.now()
    known = _known(request, at)
    expire_at_phase_changes(request, known, at)
    over = [each for each in known if _is_over(each, at)]
    past = Paginator(over, PAST_A_PAGE).get_page(request.GET.get("page"))
    coming = [each for each in reversed(known) if each.phase(at) is Phase.OPEN]
    running = running_of(known, at)
    parts = {"running": running, "coming": coming, "past": list(past.object_list)}
    listed = {each.competition.pk: each for each in summaries_of(list(chain(*parts.values())), at)}
    rows = {name: [listed[each.pk] for each in part if each.pk in listed] for name, part in parts.items()}
    made = {card.listed.competition.pk: card for card in cards_of(request, list(chain(*rows.values())), at)}
    cards = {name: [made[each.competition.pk] for each in part] for name, part in rows.items()}
    context = {
        **cards,
        "page": past,
        "every": EVERY_SECONDS,
        "preview": list_preview(_("Competitions"), [each.name for each in known if _is_public(each)]),
        "has_series": "fragment" not in request.GET and bool(may_know_series(request, series_known())),
    }
    seen = [(name, *map(etag_parts_of, part)) for name, part in cards.items()]
    return page_response(request, "competitions/list", context, etag_of(seen, past.number, past.paginator.num_pages))


def called(request: HttpRequest, sought: str) -> list[Competition]:
    """Those whose name ``sought`` finds that whoever asks may know of, the best first, at most ``MOST_CALLED``."""
    visible: list[Competition] = []
    for found in competitions_called(sought):
        visible += visible_competitions(request, found)
        if len(visible) >= MOST_CALLED:
            break
    return visible[:MOST_CALLED]


def _is_public(competition: Competition) -> bool:
    return competition.board.visibility == Visibility.PUBLIC and competition.published_at is not None


def expire_at_phase_changes(request: HttpRequest, known: Collection[Competition], at: datetime) -> None:
    expire_cache_at(request, chain.from_iterable(each.timeline.phase_changes_at for each in known), at)


def _is_over(competition: Competition, at: datetime) -> bool:
    """Whether its end has passed, even if its result is still pending or frozen."""
    return competition.phase(at) in OVER or competition.ends_at <= at


def running_of(known: Collection[Competition], at: datetime) -> list[Competition]:
    """Return those that have started and not ended; the next to end first."""
    running = [each for each in known if each.phase(at) is not Phase.OPEN and not _is_over(each, at)]
    return sorted(running, key=lambda each: (each.ends_at, each.pk))


def coming_of(known: Collection[Competition], at: datetime) -> list[Competition]:
    """Return those that have not started; the next to start first."""
    coming = [each for each in known if each.phase(at) is Phase.OPEN]
    return sorted(coming, key=lambda each: (each.starts_at, each.pk))


def _known(request: HttpRequest, at: datetime) -> list[Competition]:
    """Return all competitions that the visitor may see, maybe thousands; summaries are read for one page only."""
    known = competitions_known(at, board=_board(request))
    return visible_competitions(request, known)


def _board(request: HttpRequest) -> int | None:
    return whole_number(request.GET.get("board"))


def cards_of(
    request: HttpRequest, listed: Sequence[CompetitionSummary], at: datetime, joined: Collection[int] | None = None
) -> list[Card]:
    """Return the cards as the viewer sees them; ``joined`` has the competitions of theirs, if the caller knows them."""
    if not listed:
        return []
    viewer = viewer_of(request)
    own = viewer.player if viewer.linked else None
    numbers = [each.competition.pk for each in listed]
    revised = latest_numbers(numbers)
    if joined is None:
        joined = competitions_of_player(own, numbers) if own else set()
    leaders = leaders_of(listed, viewer, at)
    cards = (_card(each, at, revised.get(each.competition.pk, 1)) for each in listed)
    return [
        replace(card, leader=leaders.get(number), has_joined=number in joined)
        for number, card in zip(numbers, cards, strict=True)
    ]


def _card(listed: CompetitionSummary, at: datetime, revision: int) -> Card:
    competition = listed.competition
    until = competition.starts_at if listed.phase is Phase.OPEN else competition.ends_at
    left = int((until - at).total_seconds())
    return Card(
        listed,
        phase_word(listed.phase, revision),
        timed_of(competition, competition.starts_at, at),
        timed_of(competition, competition.ends_at, at),
        left if left > 0 and listed.phase not in OVER else None,
    )


def etag_parts_of(card: Card) -> tuple[object, ...]:
    listed, each = card.listed, card.listed.competition
    window = (each.starts_at, each.ends_at, each.timezone)
    shown = (card.word, listed.participants, card.leader, card.has_joined)
    return (each.pk, each.name, each.picture_hash, each.board.visibility, *window, *shown)
