"""The effects of actions on participants and standings, as values. Nothing is written or locked.

Participants whom the action would refuse are left out; the action reports them when it runs. ``rows`` are participants
of one competition, with their players and teams.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from django.db.models import Q, QuerySet

from competitions.models import Competition, Participant, Team
from competitions.selectors import competitions
from competitions.selectors.participants import teams
from competitions.selectors.participants.bring_back import scores_gone_with, team_before
from foundation import clock
from leaderboards.core.periods import event_number
from leaderboards.core.ranking.policies import StandingState, evaluate
from leaderboards.errors import OutOfRange
from leaderboards.models import Period, Standing, Storage, Submission
from leaderboards.selectors.moderation.replay import replayed_states
from leaderboards.services.submit.resolve import JOINED_TOLERANCE
from leaderboards.stores.sql.writes import state_of

Rows = Sequence[Participant]


@dataclass(frozen=True, slots=True)
class ParticipantState:
    """The state of a participant: ``gone`` (left), ``out`` (disqualified), and the numbers of team and division."""

    gone: bool
    out: bool
    team: int | None
    division: int | None


@dataclass(frozen=True, slots=True)
class ActionEffect:
    """By player (internal number): the new participant state, and the new standing (None is not ranked)."""

    parts: Mapping[int, ParticipantState] = field(default_factory=dict)
    states: Mapping[int, StandingState | None] = field(default_factory=dict)


def part_of(row: Participant) -> ParticipantState:
    """Return the present state of a participant."""
    return ParticipantState(row.left_at is not None, row.disqualified_at is not None, row.team_id, row.division_id)


def disqualifying(rows: Rows) -> ActionEffect:
    """Disqualify these participants."""
    return ActionEffect({row.player_id: replace(part_of(row), out=True) for row in rows if row.disqualified_at is None})


def reinstating(rows: Rows) -> ActionEffect:
    """Reinstate those of these participants who are disqualified."""
    return ActionEffect(
        {row.player_id: replace(part_of(row), out=False) for row in rows if row.disqualified_at is not None}
    )


def removing(competition: Competition, rows: Rows) -> ActionEffect:
    """Remove participants with their scores, before the start also from their team; nothing once it is closed."""
    period = period_of(competition)
    if competition.cancelled_at is not None or (period is not None and period.closed_at is not None):
        return ActionEffect()
    removed = [row for row in rows if row.takes_part]
    has_begun = competition.starts_at <= clock.now()
    parts = {
        row.player_id: replace(part_of(row), gone=True, team=row.team_id if has_begun else None) for row in removed
    }
    return ActionEffect(parts, dict.fromkeys(parts))


def bringing_back(competition: Competition, rows: Rows) -> ActionEffect:
    """Bring back participants who have left, with their scores and teams, as long as there are places."""
    period, seats = period_of(competition), _Seats(competition)
    parts: dict[int, ParticipantState] = {}
    states: dict[int, StandingState | None] = {}
    for row in rows:
        is_erased = row.player.erasing_since is not None
        if row.left_at is None or competition.cancelled_at is not None or is_erased or not seats.take_place():
            continue
        team = team_before(competition, row)
        team_number = team.pk if team is not None and seats.take_in_team(team) else None
        parts[row.player_id] = replace(part_of(row), gone=False, team=team_number)
        if period is not None and period.board.storage != Storage.REDIS:
            states |= _replayed(period, row.player_id, scores_gone_with(row, period))
    return ActionEffect(parts, states)


Goals = Callable[[Participant], tuple[int | None, int | None]]


def moving(competition: Competition, rows: Rows, goals: Goals) -> ActionEffect:
    """Move participants to the team and division (numbers) that ``goals`` returns, if the team has a place."""
    seats, teams_by_id = _Seats(competition), competition.teams.in_bulk()
    parts = {}
    for row in rows:
        team, division = goals(row)
        wanted = None if team is None else teams_by_id.get(team)
        has_place = team in (None, row.team_id) or (wanted is not None and seats.take_in_team(wanted))
        if row.left_at is None and has_place:
            seats.leave_team(row.team_id if team != row.team_id else None)
            parts[row.player_id] = replace(part_of(row), team=team, division=division)
    return ActionEffect(parts)


def voiding(period: Period, submissions: Iterable[Submission], *, restored: bool = False) -> ActionEffect:
    """Void these submissions of the period or, if ``restored``, restore them; nothing once it is cancelled.

    Voiding does not rank a player who is not ranked. Restoring leaves out players who have left, and scores from before
    they joined again.
    """
    competition = event_number(period.label) or 0  # 0: no competition
    if Competition.objects.filter(pk=competition, cancelled_at__isnull=False).exists():
        return ActionEffect()
    rows = _restorable(competition, list(submissions)) if restored else submissions
    chosen = {row.pk: row.player_id for row in rows}
    ranked = set(_standings(period, chosen.values()).values_list("player", flat=True))
    states: dict[int, StandingState | None] = {}
    for player in set(chosen.values()):
        if not restored and player not in ranked:
            continue
        numbers = [number for number, owner in chosen.items() if owner == player]
        states |= _replayed(period, player, numbers, restored=restored)
    return ActionEffect({}, states)


def _restorable(competition: int, submissions: Sequence[Submission]) -> list[Submission]:
    """Return the submissions of present participants that were made after joining."""
    present = Participant.objects.filter(competition=competition, left_at=None)
    rows = present.filter(player__in=[row.player_id for row in submissions])
    joined_at = dict(rows.values_list("player", "joined_at"))
    theirs = [row for row in submissions if row.player_id in joined_at]
    return [row for row in theirs if (row.sent_at or row.created_at) >= joined_at[row.player_id] - JOINED_TOLERANCE]


def accepting(period: Period, player: int, new: StandingState) -> ActionEffect:
    """Accept a late score of this player (internal number); it is scaled, with its time as in the layout."""
    standing = _standings(period, [player]).first()
    before = None if standing is None else state_of(standing.points, standing.fields, standing.at)
    try:
        return ActionEffect({}, {player: evaluate(period.rules, before, new)})
    except OutOfRange:
        return ActionEffect()


def period_of(competition: Competition) -> Period | None:
    """Return the competition's period with its board; None if it is not opened yet."""
    rows = Period.objects.select_related("board").filter(board=competition.board_id, label=competition.label)
    return rows.first()


def _standings(period: Period, players: Iterable[int]) -> QuerySet[Standing]:
    return Standing.objects.filter(period=period, player__in=set(players), score__isnull=False)


def _replayed(
    period: Period, player: int, numbers: Sequence[int], *, restored: bool = True
) -> dict[int, StandingState | None]:
    """Compute a player's standing with these submissions restored or voided; empty if they never had a standing."""
    if not Standing.objects.filter(period=period, player=player).exists():
        return {}
    own = Submission.objects.filter(period=period, player=player)
    counting = Q(voided_at=None) | Q(pk__in=numbers) if restored else Q(voided_at=None) & ~Q(pk__in=numbers)
    return {player: replayed_states(period, own.filter(counting)).get(player)}


class _Seats:
    """Counts the free places of a competition and its teams while participants take them."""

    def __init__(self, competition: Competition) -> None:
        self._competition, self._added = competition, 0
        self._taken: Counter[int] = Counter()

    def take_place(self) -> bool:
        most = self._competition.most_participants
        if most is not None and competitions.places_taken(self._competition) + self._added >= most:
            return False
        self._added += 1
        return True

    def take_in_team(self, team: Team) -> bool:
        size = self._competition.team_size
        if size is not None and teams.places_taken(team) + self._taken[team.pk] >= size:
            return False
        self._taken[team.pk] += 1
        return True

    def leave_team(self, team: int | None) -> None:
        if team is not None:
            self._taken[team] -= 1
