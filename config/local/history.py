"""The demo's past: results of months, and running periods in which places have changed, before anybody waits.

Everything goes through the product's own services, with times that lie back: scores are submitted, ranks are kept, and
periods are closed as if it had happened then. Made once, on boards of which no ranks were ever kept.
"""

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import pi, sin
from typing import Any

from config.local.players import roster
from leaderboards.core.entries import read_entry
from leaderboards.core.periods import Window, previous_window, window_at
from leaderboards.core.submissions import Caller, Status
from leaderboards.errors import BadEntry
from leaderboards.models import Board, Period, PeriodSnapshot, State
from leaderboards.services.close import close_period
from leaderboards.services.keep_ranks import due, keep
from leaderboards.services.open import open_period
from leaderboards.services.players import set_profile
from leaderboards.services.submit import backfill, submit

PLAYERS = 32
FIRST, FIRSTS_PLACE = "robin", 12  # whose login the demo prints, and where they stand
HOUR, DAY = timedelta(hours=1), timedelta(days=1)

Value = int | dict[str, int]


@dataclass(frozen=True, slots=True)
class Story:
    """What happened on a board: ``over`` periods, and ``days`` of the running one at most.

    ``an_hour`` is what a player gains in it where points add up, as simulated players do; else ``best`` tells what
    somebody's best is after a part (0 to 1) of the time.
    """

    over: int
    days: int
    an_hour: int = 0
    best: Callable[[random.Random, float], Value] = lambda _dice, _part: 0


def _falling(dice: random.Random, part: float, last: int, first: int) -> int:
    return round(last + (first - last) * (1 - part) ** 2 * dice.uniform(0.4, 1.4) + dice.expovariate(1) * last / 60)


STORIES: Mapping[str, Story] = {
    "Weekly wins": Story(over=9, days=7, an_hour=13_500),
    "Speed run": Story(over=6, days=1, best=lambda dice, part: _falling(dice, part, 61_200, 118_000)),
    "Raid": Story(
        over=3,
        days=31,
        best=lambda dice, part: {"stage": 31_990 - _falling(dice, part, 300, 9000), "members": dice.randint(1, 250)},
    ),
    "Golf": Story(over=6, days=1, best=lambda dice, part: min(130, _falling(dice, part, 64, 82))),
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
        if Period.objects.filter(board=board, label=window.label).exclude(state=State.OPEN).exists():
            continue
        dice = random.Random(f"{board.name} {window.label}")  # the same on every machine
        periods.append(open_period(board, window))
        there = dice.sample(players, dice.randint(len(players) * 2 // 3, len(players)))
        hours = (window.ends_at - window.starts_at) // HOUR
        for player in there:
            value: Value = round(story.an_hour * hours * dice.gauss(1, 0.03)) if story.an_hour else story.best(dice, 1)
            moment = window.starts_at + dice.random() * (window.ends_at - window.starts_at) * 0.99
            rows.append(_row(board, player, value, f"{window.label}-{player}") | {"at": moment.isoformat()})
    _check(backfill([read_entry(row, place) for place, row in enumerate(rows)], Caller("demo"), at))
    for period in periods:
        close_period(period, at)


def _play_running(board: Board, story: Story, players: Sequence[str], at: datetime) -> None:
    """The running period, so far: scores until each moment, and a look at it."""
    window = window_at(board.calendar, at)
    moments = list(_moments(window, story, at))
    if not moments:
        return
    dice = random.Random(f"{board.name} running")
    played: Callable[..., Iterator[Mapping[str, Value]]] = _added if story.an_hour else _bettered
    period = open_period(board, window)
    for nth, (moment, values) in enumerate(zip(moments, played(story, players, moments, dice), strict=True)):
        rows = [_row(board, player, value, f"now-{nth}-{player}") for player, value in values.items()]
        entries = [read_entry(row, place) for place, row in enumerate(rows)]
        _check(submit(entries, Caller("demo"), moment - timedelta(seconds=1)))
        keep(period, moment, moment)


def _moments(window: Window, story: Story, at: datetime) -> Iterator[datetime]:
    """Of the grid, since the period began: a day's first hours a week back, fewer before that, more of them today."""
    last = due(at)
    begun = max(window.starts_at or last - story.days * DAY, last - story.days * DAY)
    moment = begun.replace(minute=0, second=0, microsecond=0)
    while moment <= last:
        ago = last - moment
        on_the_day = moment.hour == 0 and (ago < 8 * DAY or (last - moment).days % 5 == 0)
        lately = ago < DAY and moment.hour % 3 == 0
        if moment > begun and (on_the_day or (moment.hour == 12 and ago < 8 * DAY) or lately or ago < 2 * HOUR):
            yield moment
        moment += HOUR


def _added(
    story: Story, players: Sequence[str], moments: Sequence[datetime], dice: random.Random
) -> Iterator[dict[str, int]]:
    """What each gains until each moment. All are as good in the end but for a few points, so that places go on to
    change; on the way they are ahead and behind by hours of play."""
    places = list(players)
    dice.shuffle(places)
    places.remove(FIRST)
    places.insert(FIRSTS_PLACE - 1, FIRST)
    gaps = [dice.randint(4, 60) * max(1, story.an_hour // 2000) for _ in places]
    short = {player: sum(gaps[:nth]) for nth, player in enumerate(places)}
    begun = moments[0] - (moments[1] - moments[0] if len(moments) > 1 else HOUR)
    hours = [(moment - begun) / HOUR for moment in moments]
    wide = story.an_hour * min(9.0, hours[-1] / 6)
    waves = {each: [(dice.uniform(-wide, wide), nth, dice.uniform(0, 2)) for nth in (1, 2, 3)] for each in players}
    most, had = sum(gaps), dict.fromkeys(players, 0)
    for hour in hours:
        part = hour / hours[-1]
        gained: dict[str, int] = {}
        for player in players:
            ahead = sum(high * sin(pi * part * nth) * sin(pi * shift) for high, nth, shift in waves[player])
            total = round(story.an_hour * hour + ahead + (most - short[player]) * part)
            gained[player] = max(1, total - had[player])
            had[player] += gained[player]
        yield gained


def _bettered(
    story: Story, players: Sequence[str], moments: Sequence[datetime], dice: random.Random
) -> Iterator[dict[str, Value]]:
    """What some of them have reached by each moment; at first everybody."""
    for nth in range(len(moments)):
        part = (nth + 1) / len(moments)
        there = players if nth == 0 else dice.sample(players, len(players) // 3)
        yield {player: story.best(dice, part) for player in there}


def _row(board: Board, player: str, value: Value, id_: str) -> dict[str, Any]:
    result = {"fields": value} if isinstance(value, dict) else {"points": value}
    return {"board": board.seq, "player": player, "id": f"demo-{id_}", **result}


def _check(outcomes: Sequence[Any]) -> None:
    for outcome in outcomes:
        if outcome.status is Status.REJECTED:
            raise BadEntry(f"a score of the past was refused: {outcome.detail}")
