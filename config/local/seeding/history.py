"""The demo's history: months of results, and running periods with changes of rank.

It is created with the product's services and times in the past: scores are submitted, ranks are recorded and periods
are closed. It is created once, on boards without any recorded ranks but those of the league's past weeks.
"""

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import pi, sin
from typing import Any

from competitions.models import LeagueSeason
from config.local.players import roster, run_time, stage, strokes
from config.local.seeding.leagues import WEEKS
from config.local.strength import group_of, places, share
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
HOUR, DAY = timedelta(hours=1), timedelta(days=1)

Value = int | dict[str, int]


@dataclass(frozen=True, slots=True)
class Story:
    """The history of a board: ``over`` ended periods, and at most ``days`` of the running one.

    On boards that add points up, ``an_hour`` is what the strongest gains per hour, as simulated players do. On others
    ``best(dice, place, far)`` returns a result of the player with this place by strength, where ``far`` goes from 1
    (beginner) to 0 (as good as they can be).
    """

    over: int
    days: int
    an_hour: int = 0
    best: Callable[[random.Random, int, float], Value] = lambda _dice, _place, _far: 0


STORIES: Mapping[str, Story] = {
    "Weekly wins": Story(over=9, days=7, an_hour=13_500),
    "Speed run": Story(over=6, days=1, best=lambda dice, place, far: round(run_time(dice, place) * (1 + far / 3))),
    "Raid": Story(
        over=3,
        days=31,
        best=lambda dice, place, far: {
            "stage": max(1, round(stage(dice, place) * (1 - far / 2))),
            "members": dice.randint(1, 250),
        },
    ),
    "Golf": Story(over=6, days=1, best=lambda dice, place, far: strokes(dice, place) + round(14 * far)),
    "All time": Story(over=0, days=60, an_hour=130),
}


def make_history(at: datetime) -> None:
    """Create the history of boards that have none. Raises ``BadEntry`` if a score is rejected."""
    of_league = LeagueSeason.objects.order_by("period__starts_at").values_list("period", flat=True)[:WEEKS]
    with_history = PeriodSnapshot.objects.exclude(period__in=list(of_league)).values("period__board")
    boards = {each.name: each for each in Board.objects.filter(retired_at=None).exclude(pk__in=with_history)}
    missing = [(boards[name], story) for name, story in STORIES.items() if name in boards]
    if not missing:
        return
    players = roster(PLAYERS)
    for player, name in players.items():
        set_profile(player, {"name": name}, at)
    for board, story in missing:
        _play_over(board, story, list(players), at)
        strongest = sorted(players, key=places(list(players), board.name).__getitem__)
        _play_moments(board, story, strongest, window_at(board.calendar, at), at)


def _play_over(board: Board, story: Story, players: Sequence[str], at: datetime) -> None:
    """Create the periods before the running one, the latest with its race; those that are closed stay unchanged."""
    rows: list[dict[str, Any]] = []
    periods: list[Period] = []
    window = window_at(board.calendar, at)
    for ago in range(story.over):
        window = previous_window(board.calendar, window)
        if window.starts_at is None or window.ends_at is None:
            break
        if Period.objects.filter(board=board, label=window.label).exclude(state=PeriodState.OPEN).exists():
            continue
        dice = random.Random(f"{board.name} {window.label}")  # the same on every machine
        periods.append(open_period(board, window))
        present = dice.sample(players, dice.randint(len(players) * 2 // 3, len(players)))
        form = _form(board, present, dice)
        if ago == 0:
            _play_moments(board, story, sorted(present, key=form.__getitem__), window, window.ends_at)
            continue
        hours = (window.ends_at - window.starts_at) // HOUR
        for player in present:
            place = form[player]
            value = (
                round(story.an_hour * hours * share(place) * dice.gauss(1, 0.01))
                if story.an_hour
                else story.best(dice, place, 0)
            )
            moment = window.starts_at + dice.random() * (window.ends_at - window.starts_at) * 0.99
            rows.append(_row(board, player, value, f"{window.label}-{player}") | {"at": moment.isoformat()})
    _check(backfill([read_entry(row, place) for place, row in enumerate(rows)], Caller("demo"), at))
    for period in periods:
        close_period(period, at)


def _form(board: Board, players: Sequence[str], dice: random.Random) -> dict[str, int]:
    """Return the places by strength in one period: about as ever, but nobody is always as good."""
    usual = places(players, board.name)
    ordered = sorted(players, key=lambda player: usual[player] + dice.gauss(0, 3))
    return {player: place for place, player in enumerate(ordered)}


def _play_moments(board: Board, story: Story, strongest: Sequence[str], window: Window, at: datetime) -> None:
    """Create a period up to ``at``: scores and a record of the ranks for each moment, then scores that change ranks."""
    recorded = list(_moments(window, story, at))
    if not recorded:
        return
    dice = random.Random(f"{board.name} {'running' if window.ends_at != at else window.label}")
    played: Callable[..., Iterator[Mapping[str, Value]]] = _added if story.an_hour else _bettered
    period = open_period(board, window)
    moments = [*recorded, at]
    for nth, (moment, values) in enumerate(zip(moments, played(story, strongest, moments, dice), strict=True)):
        rows = [_row(board, player, value, f"{window.label}-{nth}-{player}") for player, value in values.items()]
        entries = [read_entry(row, place) for place, row in enumerate(rows)]
        _check(submit(entries, Caller("demo"), moment - timedelta(seconds=1)))
        if moment != at:
            record_rank_history(period, moment, moment)


def _moments(window: Window, story: Story, at: datetime) -> Iterator[datetime]:
    """Yield snapshot times since the period began: twice a day in the last week, fewer before, more today."""
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
    story: Story, strongest: Sequence[str], moments: Sequence[datetime], dice: random.Random
) -> Iterator[dict[str, int]]:
    """Yield what each player gains until each moment; the strongest come first.

    Players pass each other all the time and end with gaps between groups. Those of a group end so close together that
    the simulated players soon pass each other again; on boards with few points some are equal.
    """
    near = (3, 30) if story.an_hour > 1000 else (0, 2)
    behind = [_behind(place, near, dice) for place in range(len(strongest))]
    swing = {each: (dice.uniform(-0.45, 0.45), dice.uniform(3, 9), dice.uniform(0, 2 * pi)) for each in strongest}
    begun = moments[0] - HOUR
    whole = (moments[-1] - begun) / HOUR
    busy = {nth: dice.uniform(0.7, 1.2) for nth in range(1, story.days + 2)}  # activity by day, counted back
    scored, before, had = 0.0, begun, dict.fromkeys(strongest, 0)
    for moment in moments:
        scored += story.an_hour * ((moment - before) / HOUR) * busy.get((moments[-1] - moment).days, 1)
        before, part = moment, (moment - begun) / HOUR / whole
        gained: dict[str, int] = {}
        for place, player in enumerate(strongest):
            far, turns, start = swing[player]
            ahead = (1 - part) * far * (1 + sin(turns * part + start)) / 2
            # Until the end less than in the end, so that places in a group change at last.
            short = near[1] * dice.uniform(3, 6) if part < 1 else behind[place]
            gained[player] = max(1, round(scored * share(place) * (1 + ahead) - short) - had[player])
            had[player] += gained[player]
        yield gained


def _behind(place: int, near: tuple[int, int], dice: random.Random) -> int:
    """Return how many points a place ends behind the first of its group."""
    return sum(dice.randint(*near) for _ in range(place - group_of(place).start))


def _bettered(
    story: Story, strongest: Sequence[str], moments: Sequence[datetime], dice: random.Random
) -> Iterator[dict[str, Value]]:
    """Yield the results of those who play until each moment: at first all players, in the end a few."""
    for nth in range(len(moments)):
        far = 1 - min(1, (nth + 1) / (len(moments) - 1 or 1)) * 0.9
        count = len(strongest) if nth == 0 else 5 if nth == len(moments) - 1 else len(strongest) // 2
        playing = dice.sample(range(len(strongest)), count)
        yield {strongest[place]: story.best(dice, place, far * dice.uniform(0.5, 1)) for place in playing}


def _row(board: Board, player: str, value: Value, id_: str) -> dict[str, Any]:
    result = {"fields": value} if isinstance(value, dict) else {"points": value}
    return {"board": board.seq, "player": player, "id": f"demo-{id_}", **result}


def _check(outcomes: Sequence[Any]) -> None:
    for outcome in outcomes:
        if outcome.status is Status.REJECTED:
            raise BadEntry(f"a score of the past was refused: {outcome.detail}")
