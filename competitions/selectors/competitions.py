"""Find competitions. Drafts are unknown unless asked for. While SQL is away, cached competitions are still found."""

from collections.abc import Collection, Iterator, Mapping
from copy import copy
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count

from competitions.core.lifecycle import Phase
from competitions.models import Competition, Participant
from foundation.db.resilience import OldAnswer, StaleIfErrorCache
from foundation.db.row_versions import row_version_loader
from foundation.messages import Message
from leaderboards.choices import Visibility
from leaderboards.core import keys
from leaderboards.core.input.name_matches import MOST_NAMES, FoldedNames
from leaderboards.errors import UnknownCompetition
from leaderboards.models import Board
from leaderboards.selectors.catalog.cache_versions import changed_since
from leaderboards.selectors.visibility.restrictions import visible_q

LARGEST_NUMBER = 2**63 - 1
CALLED_AT_ONCE = 50
MOST_AHEAD = 200

_PHASE_FIELDS = (
    *("starts_at", "ends_at", "published_at", "cancelled_at", "freeze_minutes", "frozen_at", "revealed_at"),
    *("closed_at", "final_at", "board", "board__visibility", "board__hue"),
)


def _read_published(numbers: Collection[int]) -> dict[int, Competition]:
    # Without the picture, which may be large and has its own URL.
    competitions = Competition.objects.exclude(published_at=None).select_related("board").defer("picture")
    return competitions.in_bulk([number for number in numbers if 0 < number <= LARGEST_NUMBER])


def _changed(old: Mapping[int, OldAnswer[Competition]]) -> set[int]:
    """Those of which Redis notes a later change: of what they show, or of their board."""
    owners = {number: _owners(row.answer) for number, row in old.items()}
    changed = changed_since({owner: old[number].age for number, names in owners.items() for owner in names})
    return {number for number, names in owners.items() if not changed.isdisjoint(names)}


def _owners(competition: Competition) -> tuple[str, str]:
    return keys.board(competition.board_id), keys.zset(competition.board_id, competition.label)


_COMPETITION_JOIN_BOARD = f"{Competition._meta.db_table} c JOIN {Board._meta.db_table} b ON b.seq = c.board_id"
competition_cache: StaleIfErrorCache[int, Competition] = StaleIfErrorCache(
    _read_published,
    stamps=row_version_loader(_COMPETITION_JOIN_BOARD, "c.id", of=("c.xmin", "b.xmin")),
    outdated=_changed,
)

_names = FoldedNames()


@dataclass(frozen=True, slots=True)
class CompetitionSummary:
    """A competition in a list, with its phase and the number of participants."""

    competition: Competition
    phase: Phase
    participants: int


def competitions_by_id(numbers: Collection[int]) -> dict[int, Competition]:
    """Return the published competitions of these numbers, by number."""
    return {number: _copy_with_board(cached) for number, cached in competition_cache.get_many(numbers).items()}


def _copy_with_board(competition: Competition) -> Competition:
    """Copy a cached row and its board, because callers may change them."""
    own = copy(competition)
    own.board = copy(own.board)
    return own


def competition_by_id(number: int, drafts: bool = False) -> Competition:
    """Return the competition of this number; a draft only with ``drafts``. Raises ``UnknownCompetition``."""
    competition = competitions_by_id([number]).get(number)
    if competition is None and drafts and 0 < number <= LARGEST_NUMBER:
        competition = Competition.objects.select_related("board").defer("picture").filter(pk=number).first()
    if competition is None:
        raise UnknownCompetition(Message("There is no competition %(number)s.", number=number))
    return competition


def competitions_listed(
    at: datetime, include_private: bool = False, state: str | None = None, board: int | None = None
) -> list[CompetitionSummary]:
    """Return the published competitions, latest start first; those of private boards only if ``include_private``."""
    known = competitions_known(at, state, board)
    return summaries_of([each for each in known if include_private or each.board.visibility == Visibility.PUBLIC], at)


def competitions_known(at: datetime, state: str | None = None, board: int | None = None) -> list[Competition]:
    """Return the published competitions, also of private boards, with only the fields for phase and visibility.

    There may be thousands; ``summaries_of`` reads those that a page shows.
    """
    competitions = Competition.objects.exclude(published_at=None).select_related("board").only(*_PHASE_FIELDS)
    if board is not None:
        competitions = competitions.filter(board=board)
    return [each for each in competitions if state is None or each.phase(at) == state]


def competitions_ahead_of(player: str, at: datetime) -> list[Competition]:
    """Return the published competitions in which a player takes part and which are not over, the next to end first.

    Private ones too, since a participant may know of them. One statement; at most ``MOST_AHEAD``.
    """
    taking_part = Participant.objects.filter(Participant.TAKING_PART, player__external_id=player)
    ahead = Competition.objects.filter(pk__in=taking_part.values("competition"), ends_at__gt=at, cancelled_at=None)
    rows = ahead.exclude(published_at=None).select_related("board").only("name", *_PHASE_FIELDS)
    return list(rows.order_by("ends_at", "pk")[:MOST_AHEAD])


def competitions_called(sought: str) -> Iterator[list[Competition]]:
    """Yield the published competitions, also of private boards, whose name matches, the best match first, some at a
    time. Only the first ``MOST_NAMES`` names in the order of the list are looked at."""
    published = Competition.objects.exclude(published_at=None)
    numbers = _names.best(published.values_list("pk", "name")[:MOST_NAMES], sought)
    for first in range(0, len(numbers), CALLED_AT_ONCE):
        some = numbers[first : first + CALLED_AT_ONCE]
        found = published.select_related("board").only("name", *_PHASE_FIELDS).in_bulk(some)
        yield [found[number] for number in some if number in found]


def summaries_of(known: Collection[Competition], at: datetime) -> list[CompetitionSummary]:
    """Return what a list shows of these competitions, in their order."""
    numbers = [each.pk for each in known]
    rows = Competition.objects.select_related("board").defer("picture").in_bulk(numbers)
    counts = participant_counts(numbers)
    return [
        CompetitionSummary(rows[each.pk], each.phase(at), counts.get(each.pk, 0)) for each in known if each.pk in rows
    ]


def participant_counts(numbers: Collection[int]) -> dict[int, int]:
    """Count the visible participants of each competition; competitions without any are left out."""
    is_shown = visible_q("competition__board")
    rows = Participant.objects.filter(Participant.TAKING_PART, is_shown, competition__in=numbers).order_by()
    return dict(rows.values_list("competition").annotate(Count("pk")))


def places_taken(competition: Competition) -> int:
    """Count the taken places: disqualified and banned players keep theirs, since they may come back."""
    return competition.participants.filter(left_at=None).count()


def participants_count(competition: Competition) -> int:
    """Count the visible participants."""
    return participant_counts([competition.pk]).get(competition.pk, 0)
