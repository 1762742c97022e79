"""Finding competitions. Drafts are unknown unless asked for; while SQL is silent, those found before stay known."""

from collections.abc import Collection
from copy import copy
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count

from competitions.core.lifecycle import Phase
from competitions.models import Competition, Participant
from foundation.db.resilience import StaleIfErrorCache, row_version_loader
from leaderboards.choices import Visibility
from leaderboards.errors import UnknownCompetition
from leaderboards.models import Board
from leaderboards.selectors.visibility.restrictions import visible_q

LARGEST_NUMBER = 2**63 - 1

_COURSE = (
    *("starts_at", "ends_at", "published_at", "cancelled_at", "freeze_minutes", "frozen_at", "revealed_at"),
    *("closed_at", "final_at", "board", "board__visibility"),
)


def _load(numbers: Collection[int]) -> dict[int, Competition]:
    # Without the picture, which may be large and has an address of its own.
    competitions = Competition.objects.exclude(published_at=None).select_related("board").defer("picture")
    return competitions.in_bulk([number for number in numbers if 0 < number <= LARGEST_NUMBER])


_with_board = f"{Competition._meta.db_table} c JOIN {Board._meta.db_table} b ON b.seq = c.board_id"
competition_cache: StaleIfErrorCache[int, Competition] = StaleIfErrorCache(
    _load, stamps=row_version_loader(_with_board, "c.id", of=("c.xmin", "b.xmin"))
)


@dataclass(frozen=True, slots=True)
class CompetitionSummary:
    """A competition in a list: where it stands, and how many take part."""

    competition: Competition
    phase: Phase
    participants: int


def competitions_by_id(numbers: Collection[int]) -> dict[int, Competition]:
    """The published competitions of these numbers."""
    return {number: _own_copy(found) for number, found in competition_cache.get_many(numbers).items()}


def _own_copy(competition: Competition) -> Competition:
    """Who is given a row may change it, and its board's."""
    own = copy(competition)
    own.board = copy(own.board)
    return own


def competition_by_id(number: int, drafts: bool = False) -> Competition:
    """The competition of this number; a draft only if ``drafts``. Raises ``UnknownCompetition``."""
    found = competitions_by_id([number]).get(number)
    if found is None and drafts and 0 < number <= LARGEST_NUMBER:
        found = Competition.objects.select_related("board").defer("picture").filter(pk=number).first()
    if found is None:
        raise UnknownCompetition(f"There is no competition {number}.")
    return found


def competitions_listed(
    at: datetime, include_private: bool = False, state: str | None = None, board: int | None = None
) -> list[CompetitionSummary]:
    """The published competitions, the latest start first; those of private boards only if asked for."""
    known = competitions_known(at, state, board)
    return summaries_of([each for each in known if include_private or each.board.visibility == Visibility.PUBLIC], at)


def competitions_known(at: datetime, state: str | None = None, board: int | None = None) -> list[Competition]:
    """The same, those of private boards too; of each only what says where it stands and who may know of it.

    There may be thousands, of which a page shows some: those are read by ``shown``.
    """
    competitions = Competition.objects.exclude(published_at=None).select_related("board").only(*_COURSE)
    if board is not None:
        competitions = competitions.filter(board=board)
    return [each for each in competitions if state is None or each.phase(at) == state]


def summaries_of(known: Collection[Competition], at: datetime) -> list[CompetitionSummary]:
    """All that a list shows of these competitions, in their order."""
    numbers = [each.pk for each in known]
    rows = Competition.objects.select_related("board").defer("picture").in_bulk(numbers)
    counts = participant_counts(numbers)
    return [
        CompetitionSummary(rows[each.pk], each.phase(at), counts.get(each.pk, 0)) for each in known if each.pk in rows
    ]


def participant_counts(numbers: Collection[int]) -> dict[int, int]:
    """How many take part now in each of these competitions, and are shown there; those with nobody are left out."""
    is_shown = visible_q("competition__board")
    rows = Participant.objects.filter(Participant.TAKING_PART, is_shown, competition__in=numbers).order_by()
    return dict(rows.values_list("competition").annotate(Count("pk")))


def places_taken(competition: Competition) -> int:
    """How many places are taken: the disqualified and the banned keep theirs, since they may come back."""
    return competition.participants.filter(left_at=None).count()


def participants_count(competition: Competition) -> int:
    """How many take part now, and are shown."""
    return participant_counts([competition.pk]).get(competition.pk, 0)
