"""What an act of a jury or of staff is said to come to is what it then comes to: drawn competitions, drawn acts.

Of each act at each stage four are drawn, which meet every storage and every tie rule; the fourth is for the long run. A
higher ``DRAWS`` draws more of those: it is to be raised, for a while, by whoever changes what is foretold.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from random import Random
from typing import Any

import pytest

from competitions.models import Competition, Notice, NoticeKind, Participant, Revision, RewardGrant
from competitions.selectors.previews import effects as actions
from competitions.selectors.previews.action_preview import ActionPreview, preview_action, preview_confirm
from competitions.selectors.previews.effects import ActionEffect
from competitions.selectors.standings.group_standings import clear_group_standings
from competitions.services.lifecycle.confirm import confirm
from competitions.services.lifecycle.finish import finish_due
from competitions.services.notices.result_notices import notify_results
from competitions.services.participants.bring_back import bring_back
from competitions.services.participants.disqualify import disqualify, reinstate, remove
from competitions.services.participants.teams import MoveTarget, move_participant
from competitions.services.results import judge, late_scores
from foundation.errors import SunwiError
from leaderboards.core.instants import milliseconds
from leaderboards.core.ranking.policies import StandingState
from leaderboards.models import Player, Submission
from leaderboards.selectors.visibility.hidden import clear_hidden_cache
from leaderboards.services.periods.close import close_period
from tests.competitions.factories import END, HOUR, MINUTE, START
from tests.competitions.grouping import in_division, team_race, team_rows
from tests.competitions.services.winning import settle, tier
from tests.competitions.site import STORAGES, make_board, period_of, player, ranks, reloaded, score
from tests.competitions.site import follow as follow_redis

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]

OVER = END + MINUTE
NAMES = ("ann", "bob", "cleo", "dan", "eve", "fay", "gus", "hal")
TIES = ("first_come", "last_come", "shared", "dense")
STAGES = ("running", "provisional", "final")
SHORT, DRAWS = 3, 4


@dataclass(frozen=True)
class Came:
    """What is there to be compared: places of players and teams, grants that stand, revisions, results told."""

    players: dict[str, int | None]
    teams: dict[str, int | None]
    grants: dict[int, str]
    revisions: int
    told: int

    @classmethod
    def of(cls, competition: Competition, at: Any) -> "Came":
        follow_redis(competition)
        clear_hidden_cache()  # what this process remembers for a second may be of before the act
        clear_group_standings()
        standing = RewardGrant.objects.filter(revoked_at=None)
        return cls(
            {name: rank for name, rank, _points in ranks(competition, at, full=True)},
            {row.name: row.rank for row in team_rows(competition, at, full=True) if row.rank is not None},
            {grant.pk: grant.player.external_id for grant in standing.select_related("player")},
            Revision.objects.count(),
            Notice.objects.filter(kind__in=(NoticeKind.RESULT, NoticeKind.RESULT_CHANGED)).count(),
        )


def drawn_competition(random: Random, stage: str, storage: str, ties: str) -> Competition:
    """Two teams, a division, eight players of whom some share their points, one banned, prizes."""
    board = make_board(
        storage,
        ties=ties,
        order=random.choice(("desc", "asc")),
        update=random.choice(("best", "latest", "increment")),
    )
    teams: dict[str, dict[str, int | None]] = {"Red": {}, "Blue": {}}
    for name in NAMES:
        teams[random.choice(("Red", "Blue"))][name] = random.choice((None, 1, 2, 3, 3, 5, 8))
    if not any(points for members in teams.values() for points in members.values()):
        teams["Red"]["ann"] = 5
    competition = team_race(
        teams,
        board,
        **random.choice(({"team_score": "sum", "team_counts": 2}, {"team_score": "best"}, {"team_score": "average"})),
        vacated_places=random.choice(("close_up", "stay_empty")),
        review_hours=0 if stage == "final" else 48,
    )
    score(competition, {name: random.randint(1, 9) for name in random.sample(NAMES, 3)}, START + 90 * MINUTE)
    follow_redis(competition)
    in_division(competition, "Juniors", *random.sample(NAMES, 3))
    Player.objects.filter(external_id=random.choice(NAMES)).update(banned_at=START)
    tier(competition)
    tier(competition, name="Medal", limit=3)
    tier(competition, name="Half", kind="percent", limit=50)
    at = START + 2 * HOUR
    for name in random.sample(NAMES, 2):
        random.choice((disqualify, remove))(competition, player(name), "Drawn.", at, None)
    if storage != "redis" and (rows := list(Submission.objects.filter(voided_at=None).order_by("pk"))):
        judge.void(competition, random.choice(rows), "Drawn.", at, None)
    if stage != "running":
        close_period(period_of(competition), OVER)
        finish_due(OVER)
        settle(OVER)
        notify_results(OVER)
    return reloaded(competition)


Act = Callable[[Competition, Random, Any], tuple[ActionEffect, Callable[[], object]]]


def _rows(competition: Competition, random: Random) -> list[Participant]:
    rows = list(competition.participants.select_related("player", "team", "competition__board").order_by("pk"))
    return random.sample(rows, random.randint(1, 3))


def _of_several(action: Callable[..., ActionEffect], service: Callable[..., object]) -> Act:
    def act(competition: Competition, random: Random, at: Any) -> tuple[ActionEffect, Callable[[], object]]:
        rows = _rows(competition, random)

        def run() -> None:
            for row in rows:
                refused_or_done(partial(service, competition, row.player, "Drawn.", at, None))

        return (action(competition, rows) if action in (actions.removing, actions.bringing_back) else action(rows)), run

    return act


def refused_or_done(run: Callable[[], object]) -> None:
    """Each by itself, as the admin does it: one that is refused does not keep the others."""
    try:
        run()
    except SunwiError:
        return


def _move(competition: Competition, random: Random, at: Any) -> tuple[ActionEffect, Callable[[], object]]:
    rows, team = _rows(competition, random), random.choice((None, *competition.teams.all()))
    division = random.choice((None, competition.divisions.get()))
    goal = MoveTarget(team.pk if team else None, division.pk if division else None)

    def run() -> None:
        for row in rows:
            refused_or_done(partial(move_participant, row, goal, "Drawn.", at, None))

    return actions.moving(competition, rows, lambda _row: (goal.team, goal.division)), run


def _judge(*, restored: bool) -> Act:
    def act(competition: Competition, random: Random, at: Any) -> tuple[ActionEffect, Callable[[], object]]:
        rows = list(Submission.objects.filter(voided_at__isnull=not restored).order_by("pk"))
        rows = random.sample(rows, min(len(rows), 2))
        service = judge.unvoid if restored else judge.void

        def run() -> None:
            for row in rows:
                refused_or_done(partial(service, competition, row, "Drawn.", at, None))

        return actions.voiding(period_of(competition), rows, restored=restored), run

    return act


def _late(competition: Competition, random: Random, at: Any) -> tuple[ActionEffect, Callable[[], object]]:
    [row] = random.sample(list(competition.participants.filter(left_at=None, disqualified_at=None)), 1)
    points, happened_at, period = random.randint(1, 9), START + 3 * HOUR, period_of(competition)
    new = StandingState((points,), period.layout.quantize(milliseconds(happened_at)))
    late = late_scores.LateScore(row.player, happened_at, points)
    is_taken = competition.closed_at is not None and row.player.banned_at is None
    action = actions.accepting(period, row.player_id, new) if is_taken else ActionEffect()
    return action, lambda: refused_or_done(lambda: late_scores.accept_late(competition, late, "Drawn.", at, None))


ACTS: dict[str, Act] = {
    "disqualify": _of_several(actions.disqualifying, disqualify),
    "reinstate": _of_several(actions.reinstating, reinstate),
    "remove": _of_several(actions.removing, remove),
    "bring back": _of_several(actions.bringing_back, bring_back),
    "move": _move,
    "void": _judge(restored=False),
    "restore": _judge(restored=True),
    "late": _late,
}


def is_as_told(told: ActionPreview, before: Came, after: Came) -> None:
    """Everything that was foretold, of what is there now."""

    def firsts(ranks: dict[str, int | None]) -> set[str]:
        return {name for name, rank in ranks.items() if rank == 1}

    def changed(one: dict[str, int | None], other: dict[str, int | None]) -> int:
        return sum(one.get(name) != other.get(name) for name in one.keys() | other.keys())

    for moves, leaders, was, now in (
        (told.players, told.leaders, before.players, after.players),
        (told.teams, told.leading_teams, before.teams, after.teams),
    ):
        assert (moves.firsts, moves.ranks) == (int(firsts(was) != firsts(now)), changed(was, now))
        assert leaders == (None if firsts(was) == firsts(now) else sorted(firsts(now)))
    lost, new = before.grants.keys() - after.grants.keys(), after.grants.keys() - before.grants.keys()
    assert sorted(grant.pk for grant in told.rewards.lost) == sorted(lost)
    names = dict(Player.objects.values_list("pk", "external_id"))
    assert sorted(names[grant.player_id] for grant in told.rewards.new) == sorted(after.grants[pk] for pk in new)
    assert told.revision == (None if after.revisions == before.revisions else before.revisions + 1)
    assert told.told == after.told - before.told


LONG = (pytest.param(nth, marks=pytest.mark.long) for nth in range(SHORT, DRAWS))


@pytest.mark.parametrize("drawn", [*range(SHORT), *LONG])
@pytest.mark.parametrize("act", ACTS)
@pytest.mark.parametrize("stage", STAGES)
def test_what_is_told_before_an_act_is_what_it_does(stage: str, act: str, drawn: int) -> None:
    random = Random(f"{stage} {act} {drawn}")
    nth = drawn + [*ACTS].index(act) + STAGES.index(stage)
    competition = drawn_competition(random, stage, STORAGES[nth % len(STORAGES)], TIES[nth % len(TIES)])
    at = START + 4 * HOUR if stage == "running" else OVER + HOUR
    before = Came.of(competition, at)
    action, run = ACTS[act](competition, random, at)
    told = preview_action(competition, action)

    run()
    settle(at + MINUTE)
    notify_results(at + MINUTE)

    is_as_told(told, before, Came.of(competition, at + MINUTE))


@pytest.mark.parametrize("storage", STORAGES)
def test_what_is_told_before_a_result_is_confirmed_is_what_confirming_does(storage: str) -> None:
    competition = drawn_competition(Random(storage), "provisional", storage, "first_come")
    before = Came.of(competition, OVER)
    told = preview_confirm(competition)

    confirm(competition, OVER, None)
    settle(OVER)
    notify_results(OVER)
    after = Came.of(competition, OVER)

    assert len(told.rewards.new) == len(after.grants) - len(before.grants) > 0
    assert (told.revision, told.told) == (after.revisions, after.told - before.told)
    assert told.leaders == sorted(name for name, rank in after.players.items() if rank == 1)
