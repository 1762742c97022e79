"""Participants: one of them, those without a score, and who may see a private competition."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Exists, OuterRef, Q, QuerySet

from competitions.models import Competition, Participant
from foundation.users import UserKey
from leaderboards.models import FinalStanding, Period, Player, Standing
from leaderboards.selectors.visibility.restrictions import banned_from, visible_q


@dataclass(frozen=True, slots=True)
class NotStarted:
    """Participants without a score, in the order of joining: the total and a page.

    ``total`` is None if a freeze hides the whole competition, and so who has scored.
    """

    total: int | None
    participants: list[Participant]


def participant_of(competition: Competition, player: str) -> Participant | None:
    """Return the participant if they take part and are visible."""
    taking_part = competition.participants.filter(Participant.TAKING_PART, visible_q(competition.board_id))
    return taking_part.select_related("player", "division").filter(player__external_id=player).first()


def own_participation(competition: Competition, player: Player) -> Participant | None:
    """Return the participant for the player themselves, with the team. Hidden and shadowed players take part, banned
    players do not."""
    rows = competition.participants.filter(Participant.TAKING_PART, player=player)
    return rows.exclude(banned_from(competition.board_id)).select_related("team").first()


def is_excluded(competition: Competition, player: str) -> bool:
    """Whether a player is banned, restricted or disqualified, and therefore not shown, also during a freeze."""
    rows = competition.participants.filter(Q(disqualified_at__isnull=False) | ~visible_q(competition.board_id))
    return rows.filter(player__external_id=player).exists()


def competitions_entered_by(user: UserKey, competitions: Collection[int]) -> set[int]:
    """Return those of the competitions that a user's player has joined and not left, disqualified or not."""
    rows = Participant.objects.filter(competition__in=competitions, player__user=user, left_at=None)
    return set(rows.values_list("competition_id", flat=True))


def competitions_of_player(player: str, competitions: Collection[int]) -> set[int]:
    """Return those of the competitions in which a player takes part, as they may know themselves."""
    rows = Participant.objects.filter(Participant.TAKING_PART, competition__in=competitions, player__external_id=player)
    return set(rows.values_list("competition_id", flat=True))


def not_started(
    competition: Competition, at: datetime, offset: int = 0, limit: int = 10, full: bool = False
) -> NotStarted:
    """Return participants without a score; during a freeze, those without one when it began."""
    if not full and competition.timeline.shows_nothing(at):
        return NotStarted(None, [])
    rows = _without_score(competition, at, full).select_related("player")
    return NotStarted(rows.count(), list(rows[offset : offset + limit]))


def not_started_in(competition: Competition, division: int, at: datetime) -> int | None:
    """Count the participants without a score in a division; None if a freeze hides the whole competition."""
    if competition.timeline.shows_nothing(at):
        return None
    return _without_score(competition, at, full=False).filter(division=division).count()


def _without_score(competition: Competition, at: datetime, full: bool) -> QuerySet[Participant]:
    taking_part = competition.participants.filter(Participant.TAKING_PART, visible_q(competition.board_id))
    return taking_part.filter(~Exists(_visible_standing(competition, at, full)))


def _visible_standing(
    competition: Competition, at: datetime, full: bool
) -> QuerySet[Standing] | QuerySet[FinalStanding]:
    """Return a subquery for the participant's standing, from the frozen copy if that is what may be seen."""
    of_board = Period.objects.filter(board=competition.board_id)
    copy = of_board.filter(label=competition.frozen_label).first() if competition.is_hidden(at) and not full else None
    if copy is not None:
        return FinalStanding.objects.filter(period=copy, player=OuterRef("player"))
    live = of_board.filter(label=competition.label).values("pk")
    return Standing.objects.filter(period__in=live, player=OuterRef("player"), score__isnull=False)
