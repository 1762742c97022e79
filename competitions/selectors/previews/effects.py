"""What an act of a jury or of staff makes of participants and standings, as values; nothing is written or held.

Whoever an act would refuse is left out: it says so when it is done. Rows are participants of one competition, with
their players and teams.
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
    """How somebody takes part: whether they have gone, or are disqualified, and the numbers of their team and
    division."""

    gone: bool
    out: bool
    team: int | None
    division: int | None


@dataclass(frozen=True, slots=True)
class ActionEffect:
    """By player (internal number): how they take part then, and what their standing is then (None is not ranked)."""

    parts: Mapping[int, ParticipantState] = field(default_factory=dict)
    states: Mapping[int, StandingState | None] = field(default_factory=dict)


def part_of(row: Participant) -> ParticipantState:
    """How they take part now."""
    return ParticipantState(row.left_at is not None, row.disqualified_at is not None, row.team_id, row.division_id)


def disqualifying(rows: Rows) -> ActionEffect:
    """All of these are shown nowhere any more."""
    return ActionEffect({row.player_id: replace(part_of(row), out=True) for row in rows if row.disqualified_at is None})


def reinstating(rows: Rows) -> ActionEffect:
    """Those of them who are disqualified are so no more."""
    return ActionEffect(
        {row.player_id: replace(part_of(row), out=False) for row in rows if row.disqualified_at is not None}
    )


def removing(competition: Competition, rows: Rows) -> ActionEffect:
    """Those who take part go with their scores, before the start also from their team; nobody once it is closed."""
    period = period_of(competition)
    if competition.cancelled_at is not None or (period is not None and period.closed_at is not None):
        return ActionEffect()
    going = [row for row in rows if row.takes_part]
    has_begun = competition.starts_at <= clock.now()
    parts = {row.player_id: replace(part_of(row), gone=True, team=row.team_id if has_begun else None) for row in going}
    return ActionEffect(parts, dict.fromkeys(parts))


def bringing_back(competition: Competition, rows: Rows) -> ActionEffect:
    """Those who have gone take part again with what went with them, as long as there are places."""
    period, seats = period_of(competition), _Seats(competition)
    parts: dict[int, ParticipantState] = {}
    states: dict[int, StandingState | None] = {}
    for row in rows:
        is_known = row.player.erasing_since is None
        if row.left_at is None or competition.cancelled_at is not None or not is_known or not seats.let_in():
            continue
        team = team_before(competition, row)
        seated = team.pk if team is not None and seats.take(team) else None
        parts[row.player_id] = replace(part_of(row), gone=False, team=seated)
        if period is not None and period.board.storage != Storage.REDIS:
            states |= _amounts(period, row.player_id, scores_gone_with(row, period))
    return ActionEffect(parts, states)


Goals = Callable[[Participant], tuple[int | None, int | None]]


def moving(competition: Competition, rows: Rows, goals: Goals) -> ActionEffect:
    """Those who have not gone are in the team and division that ``goals`` says, by number, where there is a place."""
    seats, known = _Seats(competition), competition.teams.in_bulk()
    parts = {}
    for row in rows:
        team, division = goals(row)
        wanted = None if team is None else known.get(team)
        has_place = team in (None, row.team_id) or (wanted is not None and seats.take(wanted))
        if row.left_at is None and has_place:
            seats.leave(row.team_id if team != row.team_id else None)
            parts[row.player_id] = replace(part_of(row), team=team, division=division)
    return ActionEffect(parts)


def voiding(period: Period, submissions: Iterable[Submission], *, restored: bool = False) -> ActionEffect:
    """These submissions of the period count no more or, ``restored``, again; none once it is cancelled. Who is not
    ranked does not come back by a voiding, nor by a restoring who has gone, or what is of before they joined again."""
    competition = event_number(period.label) or 0  # which none has
    if Competition.objects.filter(pk=competition, cancelled_at__isnull=False).exists():
        return ActionEffect()
    rows = _restorable(competition, list(submissions)) if restored else submissions
    chosen = {row.pk: row.player_id for row in rows}
    ranked = set(_standing(period, chosen.values()).values_list("player", flat=True))
    states: dict[int, StandingState | None] = {}
    for player in set(chosen.values()):
        if not restored and player not in ranked:
            continue
        numbers = [number for number, whose in chosen.items() if whose == player]
        states |= _amounts(period, player, numbers, restored=restored)
    return ActionEffect({}, states)


def _restorable(competition: int, submissions: Sequence[Submission]) -> list[Submission]:
    """Those of who takes part, since they joined."""
    there = Participant.objects.filter(competition=competition, left_at=None)
    since = dict(there.filter(player__in=[row.player_id for row in submissions]).values_list("player", "joined_at"))
    own = [row for row in submissions if row.player_id in since]
    return [row for row in own if (row.sent_at or row.created_at) >= since[row.player_id] - JOINED_TOLERANCE]


def accepting(period: Period, player: int, new: StandingState) -> ActionEffect:
    """A late score of this player (internal number) counts, which is scaled, its time as the layout keeps it."""
    held = _standing(period, [player]).first()
    before = None if held is None else state_of(held.points, held.fields, held.at)
    try:
        return ActionEffect({}, {player: evaluate(period.rules, before, new)})
    except OutOfRange:
        return ActionEffect()


def period_of(competition: Competition) -> Period | None:
    """The competition's period with its board; None before anybody could score."""
    rows = Period.objects.select_related("board").filter(board=competition.board_id, label=competition.label)
    return rows.first()


def _standing(period: Period, players: Iterable[int]) -> QuerySet[Standing]:
    return Standing.objects.filter(period=period, player__in=set(players), score__isnull=False)


def _amounts(
    period: Period, player: int, numbers: Sequence[int], *, restored: bool = True
) -> dict[int, StandingState | None]:
    """What a player's submissions amount to with these restored, or voided; nothing of who never had a standing."""
    if not Standing.objects.filter(period=period, player=player).exists():
        return {}
    own = Submission.objects.filter(period=period, player=player)
    count = Q(voided_at=None) | Q(pk__in=numbers) if restored else Q(voided_at=None) & ~Q(pk__in=numbers)
    return {player: replayed_states(period, own.filter(count)).get(player)}


class _Seats:
    """Places in a competition and its teams, taken one after the other."""

    def __init__(self, competition: Competition) -> None:
        self._competition, self._came = competition, 0
        self._taken: Counter[int] = Counter()

    def let_in(self) -> bool:
        most = self._competition.most_participants
        if most is not None and competitions.places_taken(self._competition) + self._came >= most:
            return False
        self._came += 1
        return True

    def take(self, team: Team) -> bool:
        size = self._competition.team_size
        if size is not None and teams.places_taken(team) + self._taken[team.pk] >= size:
            return False
        self._taken[team.pk] += 1
        return True

    def leave(self, team: int | None) -> None:
        if team is not None:
            self._taken[team] -= 1
