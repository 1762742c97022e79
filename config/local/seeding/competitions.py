"""The demo's competitions: one that is over, one that runs and one to come. Creates only what is missing.

The services play their past with times in the past. An interrupted start is continued by the next one. The worker
sends the notices and grants the rewards.
"""

import random
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction

from competitions.core.lifecycle import Phase
from competitions.core.names import key_of
from competitions.errors import AlreadyJoined, BadCompetition
from competitions.models import Competition, Division, Preference, RewardTier, Snapshot
from competitions.services.comments.comment import post_comment
from competitions.services.lifecycle.finish import finish
from competitions.services.lifecycle.publish import publish
from competitions.services.lifecycle.snapshots import take_snapshot
from competitions.services.notices.preferences import NoticeSettings, save_preference
from competitions.services.participants.join import join
from competitions.services.participants.teams import TeamChoice, make_team
from config.local.competition_players import RACERS, racers_by_strength
from config.local.players import roster
from config.local.seeding.series import NAME as SERIES
from config.local.seeding.series import make_series
from config.local.strength import share
from foundation.errors import SunwiError
from leaderboards.core.input.entries import read_entry
from leaderboards.core.submissions import Caller, Status
from leaderboards.models import Board, Player
from leaderboards.services.players.profiles import set_profile
from leaderboards.services.submit.pipeline import submit
from likes.services.like import like

BOARD = "Workout"
# Comments, oldest first, each with its number of likes.
COMMENTS = (
    ("Good luck, everybody!", 9),
    ("오늘은 비가 오지만 그래도 달립니다.", 6),
    ("My legs are tired already. Who had the idea of doing this before breakfast?", 12),
    ("Well done, Robin. I did not see you coming.", 4),
    ("One more round and then coffee.\nI said that an hour ago.", 2),
    ("Same time tomorrow?", 0),
)
OVER = (Phase.CLOSING, Phase.PROVISIONAL, Phase.FINAL)


@dataclass(frozen=True)
class Plan:
    """A competition of the demo. ``rounds`` have been played when it is created, each with a snapshot."""

    name: str
    description: str
    phases: tuple[Phase, ...]
    starts_in: timedelta
    lasts: timedelta
    snapshot_minutes: int
    rounds: int = 0
    settings: dict[str, Any] = field(default_factory=dict)
    tiers: tuple[dict[str, Any], ...] = ()
    teams: tuple[str, ...] = ()
    divisions: tuple[str, ...] = ()

    def moment(self, competition: Competition, number: int) -> datetime:
        """Return the end of a round."""
        return competition.starts_at + number * timedelta(minutes=self.snapshot_minutes)


MEDALS: tuple[dict[str, Any], ...] = (
    {"name": "Gold medal", "code": "medal-gold", "limit": 1},
    {"name": "Silver medal", "code": "medal-silver", "from_rank": 2, "limit": 3},
    {"name": "In the best quarter", "code": "badge-quarter", "kind": "percent", "limit": 25},
)
PLANS = (
    Plan(
        name="Monthly league final",
        description="A point for each calorie, for two hours. Of equals, whoever got there first is ahead.",
        phases=OVER,
        starts_in=timedelta(days=-1),
        lasts=timedelta(hours=2),
        snapshot_minutes=20,
        rounds=5,
        settings={"alerts": [], "review_hours": 0},  # the demo shows its final result
        tiers=MEDALS,
    ),
    Plan(
        name="Workout among friends",
        description="A point for each calorie, for a day. Whoever takes first place or loses it hears of it at once. "
        "A team has the points of its best three.",
        phases=(Phase.RUNNING,),
        starts_in=timedelta(minutes=-10),
        lasts=timedelta(hours=24),  # alerts are only sent in the last hours: here always
        snapshot_minutes=1,
        rounds=10,
        settings={"team_score": "sum", "team_counts": 3},
        teams=("Early birds", "Night owls", "점심 달리기", "Weekend warriors", "Stairs only"),
        divisions=("Under 30", "30 to 49", "Masters"),
    ),
    Plan(
        name="Weekend tournament",
        description="Two days, with room for 64, alone or in a team of up to six: found one, or choose one until it "
        "starts. In the last hour the standings are hidden, until they are revealed.",
        phases=(Phase.OPEN,),
        starts_in=timedelta(days=2),
        lasts=timedelta(days=2),
        snapshot_minutes=30,
        settings={
            "most_participants": 64,
            "freeze_minutes": 60,
            "team_score": "average",
            "team_size": 6,
            "team_founding": True,
        },
        tiers=MEDALS,
        teams=("River side", "Hill side", "한강 크루"),
    ),
)
IN_SERIES = tuple(plan.name for plan in PLANS if plan.tiers)


def make_competitions(at: datetime) -> list[str]:
    """Create what is missing. Return a sentence for each failure; a board that was changed may refuse."""
    board = Board.objects.filter(name=BOARD, retired_at=None).first()
    if board is None:
        return [f"No competitions: the board {BOARD} is retired."]
    racers, refused = make_racers(at), []
    for plan in PLANS:
        try:
            _make(plan, board, racers, at)
        except SunwiError as error:
            refused.append(f"{plan.name}: {error.detail}")
    try:
        make_series(board, IN_SERIES, at)
    except SunwiError as error:
        refused.append(f"{SERIES}: {error.detail}")
    return refused


def make_racers(at: datetime) -> list[Player]:
    """Return the players who take part. The first, whose login the demo prints, has no quiet hours."""
    racers = [set_profile(player, {"name": name}, at) for player, name in roster(RACERS).items()]
    if not Preference.objects.filter(player=racers[0]).exists():
        save_preference(racers[0], NoticeSettings(quiet_from=0, quiet_until=0))
    return racers


def _make(plan: Plan, board: Board, racers: Sequence[Player], at: datetime) -> None:
    begun = at + min(plan.starts_in, timedelta())
    competition = publish(_found(plan, at) or _draft(plan, board, at), begun, None)
    if not _is_prepared(plan, competition):
        # Only half join the coming one, so that the person who tries the demo can join it.
        _join(competition, racers if plan.rounds else racers[1::2], begun)
        _play(plan, competition, racers)
    if plan.rounds:
        _comment(competition, racers, min(at, competition.ends_at))
    if plan.phases == OVER:
        finish(competition, competition.ends_at + timedelta(seconds=board.grace_seconds))


def _found(plan: Plan, at: datetime) -> Competition | None:
    named = Competition.objects.exclude(published_at=None).filter(name=plan.name, board__name=BOARD)
    return next((each for each in named if each.phase(at) in plan.phases), None)


@transaction.atomic
def _draft(plan: Plan, board: Board, at: datetime) -> Competition:
    starts_at = at.replace(second=0, microsecond=0) + plan.starts_in
    competition = Competition.objects.create(
        board=board,
        name=plan.name,
        description=plan.description,
        starts_at=starts_at,
        ends_at=starts_at + plan.lasts,
        snapshot_minutes=plan.snapshot_minutes,
        **plan.settings,
    )
    RewardTier.objects.bulk_create(RewardTier(competition=competition, **tier) for tier in plan.tiers)
    for name in plan.teams:
        make_team(competition, name, starts_at)
    Division.objects.bulk_create(
        Division(competition=competition, name=name, key=key_of(name), position=position)
        for position, name in enumerate(plan.divisions)
    )
    return competition


def _is_prepared(plan: Plan, competition: Competition) -> bool:
    if not plan.rounds:
        return competition.participants.exists()
    return Snapshot.objects.filter(competition=competition, due_at=plan.moment(competition, plan.rounds)).exists()


def _join(competition: Competition, racers: Sequence[Player], at: datetime) -> None:
    """Join the players, in turn to each team and division, if the competition has any."""
    teams: list[int | None] = [*competition.teams.order_by("pk").values_list("pk", flat=True)] or [None]
    divisions: list[int | None] = [*competition.divisions.values_list("pk", flat=True)] or [None]
    for number, racer in enumerate(racers):
        wish = TeamChoice(team=teams[number % len(teams)], division=divisions[number % len(divisions)])
        with suppress(AlreadyJoined):  # by an interrupted start
            join(competition, racer, at, choice=wish)


def _play(plan: Plan, competition: Competition, racers: Sequence[Player]) -> None:
    """Play each round, with a snapshot. Seed and ids are constant, so that nothing counts twice."""
    dice = random.Random(plan.name)  # the same races on every machine
    for number in range(1, plan.rounds + 1):
        moment = plan.moment(competition, number)
        late = number <= plan.rounds // 4
        _score(competition, _games(racers, late, dice), f"demo-{competition.pk}-{number}", moment)
        take_snapshot(competition, moment, moment)


def _games(racers: Sequence[Player], late: bool, dice: random.Random) -> dict[str, int]:
    """Return the points by player. The first player joins late, then passes all others and gets notices of it."""
    first, *others = (racer.external_id for racer in racers)
    places = racers_by_strength([first, *others])
    points = {other: max(1, round(100 * share(places[other]) * dice.uniform(0.8, 1.15))) for other in others}
    return points if late else {first: dice.randint(112, 124)} | points


def _score(competition: Competition, points: dict[str, int], id_: str, at: datetime) -> None:
    rows = [
        {"competition": competition.pk, "player": player, "points": number, "id": f"{id_}-{player}"}
        for player, number in points.items()
    ]
    for outcome in submit([read_entry(row, place) for place, row in enumerate(rows)], Caller("demo"), at):
        if outcome.status is Status.REJECTED:
            raise BadCompetition(f"a score was refused: {outcome.detail}")


def _comment(competition: Competition, racers: Sequence[Player], at: datetime) -> None:
    """Post comments and likes, unless there are comments already."""
    if competition.comments.exists():
        return
    others = racers[1:]
    for number, (text, likes) in enumerate(COMMENTS):
        moment = at - (len(COMMENTS) - number) * timedelta(minutes=1)
        comment = post_comment(competition, others[number % len(others)], text, f"demo-{number}", moment)
        for racer in others[number + 1 : number + 1 + likes]:
            like("comment", str(comment.pk), racer.external_id, moment)
