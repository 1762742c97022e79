"""Who takes part: one of them, those who have not started, and who may see a private competition."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Exists, OuterRef, Q, QuerySet

from competitions.models import Competition, Participant
from leaderboards.models import FinalStanding, Period, Player, Standing
from leaderboards.selectors.visibility.restrictions import banned_from, visible_q


@dataclass(frozen=True, slots=True)
class NotStarted:
    """Participants without a score, in the order in which they joined: how many, and a page of them.

    ``total`` is None where the freeze hides the whole competition: who has scored is nobody's to know then.
    """

    total: int | None
    participants: list[Participant]


def participant_of(competition: Competition, player: str) -> Participant | None:
    """The player's row if they take part now."""
    taking_part = competition.participants.filter(Participant.TAKING_PART, visible_q(competition.board_id))
    return taking_part.select_related("player", "division").filter(player__external_id=player).first()


def own_participation(competition: Competition, player: Player) -> Participant | None:
    """The row of a player who takes part now, with their team, for the player themselves: the hidden and the shadowed
    go on taking part, the banned do not."""
    rows = competition.participants.filter(Participant.TAKING_PART, player=player)
    return rows.exclude(banned_from(competition.board_id)).select_related("team").first()


def is_excluded(competition: Competition, player: str) -> bool:
    """Whether a player is banned, restricted or disqualified, and so shown to nobody, also during a freeze."""
    rows = competition.participants.filter(Q(disqualified_at__isnull=False) | ~visible_q(competition.board_id))
    return rows.filter(player__external_id=player).exists()


def competitions_entered_by(user: int, competitions: Collection[int]) -> set[int]:
    """Which of these competitions the player of a user is in, disqualified or not; who has left is not."""
    rows = Participant.objects.filter(competition__in=competitions, player__user=user, left_at=None)
    return set(rows.values_list("competition_id", flat=True))


def not_started(
    competition: Competition, at: datetime, offset: int = 0, limit: int = 10, full: bool = False
) -> NotStarted:
    """Those who take part and have no score; during a freeze, had none when it came, and nobody where it hides all."""
    if not full and competition.timeline.shows_nothing(at):
        return NotStarted(None, [])
    waiting = _waiting(competition, at, full).select_related("player")
    return NotStarted(waiting.count(), list(waiting[offset : offset + limit]))


def not_started_in(competition: Competition, division: int, at: datetime) -> int | None:
    """How many of them are in a division; None where a freeze hides the whole competition."""
    if competition.timeline.shows_nothing(at):
        return None
    return _waiting(competition, at, full=False).filter(division=division).count()


def _waiting(competition: Competition, at: datetime, full: bool) -> QuerySet[Participant]:
    taking_part = competition.participants.filter(Participant.TAKING_PART, visible_q(competition.board_id))
    return taking_part.filter(~Exists(_standing(competition, at, full)))


def _standing(competition: Competition, at: datetime, full: bool) -> QuerySet[Standing] | QuerySet[FinalStanding]:
    """A participant's standing, as may be seen."""
    of_board = Period.objects.filter(board=competition.board_id)
    copy = of_board.filter(label=competition.frozen_label).first() if competition.is_hidden(at) and not full else None
    if copy is not None:
        return FinalStanding.objects.filter(period=copy, player=OuterRef("player"))
    live = of_board.filter(label=competition.label).values("pk")
    return Standing.objects.filter(period__in=live, player=OuterRef("player"), score__isnull=False)
