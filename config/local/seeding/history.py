"""The demo's past: results of months, and running periods in which places have changed, before anybody waits.

Everything goes through the product's own services, with times that lie back: scores are submitted, ranks are kept, and
periods are closed as if it had happened then. Made once, on boards of which no ranks were ever kept.
"""

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import cos, pi, sin
from typing import Any

from config.local.players import roster
from leaderboards.core.input.entries import read_entry
from leaderboards.core.periods import Window, previous_window, window_at
from leaderboards.core.submissions import Caller, Status
from leaderboards.errors import BadEntry
from leaderboards.models import Board, Period, PeriodSnapshot, PeriodState
from leaderboards.services.periods.close import close_period
from leaderboards.services.periods.open import open_period
from leaderboards.services.periods.rank_history import record_rank_history, snapshot_time
from leaderboards.services.players.profiles import set_profile
from leaderboards.services.submit.pipeline import backfill, submit

PLAYERS = 40
FIRST, FIRSTS_PLACE = "robin", 12  # whose login the demo prints, and where they stand
HOUR, DAY = timedelta(hours=1), timedelta(days=1)

Value = int | dict[str, int]


@dataclass(frozen=True, slots=True)
class Story:
    """What happened on a board: ``over`` periods, and ``days`` of the running one at most.

    ``an_hour`` is what a player gains in it where points add up, as simulated players do; else ``best`` tells what
    somebody reaches who is ``far`` (1 at first, 0 in the end) from what they can.
    """

    over: int
    days: int
    an_hour: int = 0
    best: Callable[[random.Random, float], Value] = lambda _dice, _far: 0


def _near(dice: random.Random, far: float, last: int, first: int) -> int:
    return round(last + (first - last) * far + dice.expovariate(1) * last / 80)


STORIES: Mapping[str, Story] = {
    "Weekly wins": Story(over=9, days=7, an_hour=13_500),
    "Speed run": Story(over=6, days=1, best=lambda dice, far: _near(dice, far, 61_200, 98_000)),
    "Raid": Story(
        over=3,
        days=31,
        best=lambda dice, far: {"stage": 31_990 - _near(dice, far, 300, 9000), "members": dice.randint(1, 250)},
    ),
    "Golf": Story(over=6, days=1, best=lambda dice, far: _near(dice, far, 64, 80)),
    "All time": Story(over=0, days=60, an_hour=130),
}


def make_history(at: datetime) -> None:
    """Make the past of those boards that have none. Raises ``BadEntry`` where a score is refused."""
    looked_at = PeriodSnapshot.objects.values("period__board")
    boards = {each.name: each for each in Board.objects.filter(retired_at=None).exclude(pk__in=looked_at)}
    told = [(boards[name], story) for name, story in STORIES.items() if name in boards]
    if not told:
        return
    players = roster(PLAYERS)
    for player, name in players.items():
        set_profile(player, {"name": name}, at)
    for board, story in told:
        _play_over(board, story, list(players), at)
        _play_running(board, story, list(players), at)


def _play_over(board: Board, story: Story, players: Sequence[str], at: datetime) -> None:
    """The periods before the running one, each with a result of its own; what is final already stays as it is."""
    rows: list[dict[str, Any]] = []
    periods: list[Period] = []
    window = window_at(board.calendar, at)
    for _ in range(story.over):
        window = previous_window(board.calendar, window)
        if window.starts_at is None or window.ends_at is None:
            break
        if Period.objects.filter(board=board, label=window.label).exclude(state=PeriodState.OPEN).exists():
            continue
        dice = random.Random(f"{board.name} {window.label}")  # the same on every machine
        periods.append(open_period(board, window))
        there = dice.sample(players, dice.randint(len(players) * 2 // 3, len(players)))
        hours = (window.ends_at - window.starts_at) // HOUR
        for player in there:
            value: Value = round(story.an_hour * hours * dice.gauss(1, 0.03)) if story.an_hour else story.best(dice, 0)
            moment = window.starts_at + dice.random() * (window.ends_at - window.starts_at) * 0.99
            rows.append(_row(board, player, value, f"{window.label}-{player}") | {"at": moment.isoformat()})
    _check(backfill([read_entry(row, place) for place, row in enumerate(rows)], Caller("demo"), at))
    for period in periods:
        close_period(period, at)


def _play_running(board: Board, story: Story, players: Sequence[str], at: datetime) -> None:
    """The running period, so far: scores until each moment and a look at it, and at last scores that change places."""
    window = window_at(board.calendar, at)
    looks = list(_moments(window, story, at))
    if not looks:
        return
    dice = random.Random(f"{board.name} running")
    played: Callable[..., Iterator[Mapping[str, Value]]] = _added if story.an_hour else _bettered
    period = open_period(board, window)
    moments = [*looks, at]
    for nth, (moment, values) in enumerate(zip(moments, played(story, players, moments, dice), strict=True)):
        rows = [_row(board, player, value, f"now-{nth}-{player}") for player, value in values.items()]
        entries = [read_entry(row, place) for place, row in enumerate(rows)]
        _check(submit(entries, Caller("demo"), moment - timedelta(seconds=1)))
        if moment != at:
            record_rank_history(period, moment, moment)


def _moments(window: Window, story: Story, at: datetime) -> Iterator[datetime]:
    """Of the grid, since the period began: twice a day for a week, less often before that, more often today."""
    last = snapshot_time(at)
    begun = max(window.starts_at or last - story.days * DAY, last - story.days * DAY)
    moment = begun.replace(minute=0, second=0, microsecond=0) + HOUR
    while moment <= last and moment < at:
        ago = last - moment
        of_the_week = ago < 8 * DAY and moment.hour in (0, 12)
        before = moment.hour == 0 and ago.days % 3 == 0
        today = ago < DAY and (moment.hour % 3 == 0 or ago < 2 * HOUR)
        if of_the_week or before or today or moment - begun == HOUR:
            yield moment
        moment += HOUR


def _added(
    story: Story, players: Sequence[str], moments: Sequence[datetime], dice: random.Random
) -> Iterator[dict[str, int]]:
    """What each gains until each moment. They pass each other all the way, and come so near each other in the end that
    simulated players do too, soon."""
    places = list(players)
    dice.shuffle(places)
    places.remove(FIRST)
    places.insert(FIRSTS_PLACE - 1, FIRST)
    near = [dice.randint(3, 30) if story.an_hour > 1000 else dice.randint(1, 3) for _ in places]
    swing = {each: (dice.gauss(0, 4), dice.gauss(0, 4)) for each in places}
    begun = moments[0] - HOUR
    whole = (moments[-1] - begun) / HOUR
    busy = {nth: dice.uniform(0.7, 1.2) for nth in range(1, story.days + 2)}  # days, counted back; on this one all play
    scored, before, had = 0.0, begun, dict.fromkeys(players, 0)
    for moment in moments:
        scored += story.an_hour * ((moment - before) / HOUR) * busy.get((moments[-1] - moment).days, 1)
        before, part = moment, (moment - begun) / HOUR / whole
        apart = 0.45 * story.an_hour * (0.3 + sin(pi * part)) * (1 - part**6)
        gained: dict[str, int] = {}
        for place, player in enumerate(places):
            first, second = swing[player]
            ahead = (1 - part**3) * (first * cos(4 * part) + second * sin(7 * part))
            ahead += dice.uniform(-2, 2) if part < 1 else 0
            behind = (place - ahead) * max(apart, sum(near) / len(near)) if part < 1 else sum(near[:place])
            gained[player] = max(1, round(scored - behind) - had[player])
            had[player] += gained[player]
        yield gained


def _bettered(
    story: Story, players: Sequence[str], moments: Sequence[datetime], dice: random.Random
) -> Iterator[dict[str, Value]]:
    """What those who play have reached by each moment: at first everybody does, in the end a few."""
    talent = {player: dice.uniform(0.3, 1) for player in players}
    for nth in range(len(moments)):
        far = 1 - min(1, (nth + 1) / (len(moments) - 1 or 1)) * 0.9
        there = len(players) if nth == 0 else 5 if nth == len(moments) - 1 else len(players) // 2
        playing = dice.sample(players, there)
        yield {player: story.best(dice, far * talent[player] * dice.uniform(0.8, 1.2)) for player in playing}


def _row(board: Board, player: str, value: Value, id_: str) -> dict[str, Any]:
    result = {"fields": value} if isinstance(value, dict) else {"points": value}
    return {"board": board.seq, "player": player, "id": f"demo-{id_}", **result}


def _check(outcomes: Sequence[Any]) -> None:
    for outcome in outcomes:
        if outcome.status is Status.REJECTED:
            raise BadEntry(f"a score of the past was refused: {outcome.detail}")
