"""What was kept of a period's past, for the race and for points by day: some of its looks, and who stood where then.

All storages have looks (``services/keep_ranks.py``), so what is told of the past is the same on all of them: ranks and
points as they were shown. Both statements read rows by their keys, of looks that were chosen first; what they find is
remembered for a minute, player by player, and shared by all who watch. The trap: which looks there are turns with the
last one, so ``since`` stands in the key, and a new look is seen at once.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import Count

from foundation import clock
from foundation.sql import Remembered, SqlAway
from leaderboards.core.instants import EPOCH
from leaderboards.core.periods import Calendar, PeriodKind, previous_window, window_at
from leaderboards.core.race import LINES, columns
from leaderboards.core.rules import Rules, Ties
from leaderboards.errors import BadLabel
from leaderboards.models import Board, KeptRank, PeriodSnapshot, State
from leaderboards.selectors.periods import PeriodShown

REMEMBERED_SECONDS = 60.0
MOST_DAYS = 7
LATE = timedelta(minutes=5)  # how much later than its time a look may be for a day's first


@dataclass(frozen=True, slots=True)
class Look:
    """A look that is told of: ``is_whole`` if whoever is not in it was not ranked.

    Where ranks are dense, ``above`` says how many stood before each of the first.
    """

    pk: int
    at: datetime
    is_whole: bool
    total: int = 1
    above: Mapping[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Day:
    """A day of the board's, and the look with which it began; None where nothing is known of that, and likewise for the
    day with which the period began, when nobody had anything: that one ``is_first``."""

    starts_at: datetime
    look: Look | None
    is_first: bool = False


@dataclass(frozen=True, slots=True)
class Past:
    """``columns`` of the race from the first on, without the present; it ends at ``end``, which is the same for some
    time. ``days`` up to the last one that is told of."""

    columns: tuple[Look, ...]
    days: tuple[Day, ...]
    end: datetime

    @property
    def looks(self) -> tuple[int, ...]:
        """The numbers of all looks that are told of."""
        of_days = (day.look.pk for day in self.days if day.look)
        return tuple(sorted({*(look.pk for look in self.columns), *of_days}))


@dataclass(frozen=True, slots=True)
class Then:
    """A player in the looks of a past: their ranks and points (scaled) by look; nothing of a look without them."""

    ranks: dict[int, int]
    points: dict[int, int | None]


NEVER = Then({}, {})


def past_of(board: Board, period: PeriodShown, rules: Rules, since: datetime | None) -> Past | None:
    """What was kept of the period, whose last look was ``since``; None while nobody knows, and where nothing was."""
    if board.is_event or period.state == State.EXPIRED:
        return None
    with suppress(SqlAway):
        found = _pasts.get(_Asked(board.seq, period, board.calendar, rules.ties, since))
        return found if found and (found.columns or found.days) else None
    return None


def stood(past: Past, players: Collection[str]) -> dict[str, Then] | None:
    """Each of the ``players`` in the looks of a past; None while nobody knows."""
    looks = past.looks
    with suppress(SqlAway):
        found = _stood.get_many([(looks, player) for player in players])
        return {player: then for (_, player), then in found.items()}
    return None


def forget_race() -> None:
    """Start anew."""
    _pasts.forget()
    _stood.forget()


@dataclass(frozen=True, slots=True)
class _Asked:
    seq: int
    period: PeriodShown
    calendar: Calendar
    ties: Ties
    since: datetime | None


def _load_pasts(wanted: Collection[_Asked]) -> dict[_Asked, Past]:
    return {asked: _past(asked, clock.now()) for asked in wanted}


def _past(asked: _Asked, now: datetime) -> Past:
    period = asked.period
    rows = PeriodSnapshot.objects.filter(period__board=asked.seq, period__label=period.label).order_by("due_at")
    looks = [Look(*row) for row in rows.values_list("pk", "taken_at", "is_whole", "total")]
    last = min(now, period.ends_at) if period.ends_at else now
    end = _end(period, now)
    told = [look for look in looks if look.total and look.at < last]
    chosen = [told[nth] for nth in columns([look.at for look in told], end)]
    if asked.ties is Ties.DENSE:
        counts = _counts(chosen)
        chosen = [replace(look, above=_above(counts[look.pk])) for look in chosen]
    return Past(tuple(chosen), tuple(_days(asked, looks, last)), end)


def _end(period: PeriodShown, now: datetime) -> datetime:
    """Where the race ends: at the next time of the grid, so that a drawing stands until then."""
    interval = timedelta(minutes=settings.RANK_SNAPSHOT_MINUTES)
    following = EPOCH + ((now - EPOCH) // interval + 1) * interval
    return min(following, period.ends_at) if period.ends_at else following


def _days(asked: _Asked, looks: Sequence[Look], last: datetime) -> Iterator[Day]:
    """The period's days up to ``last``, seven at most, the earliest first. Of one day alone nothing is told."""
    if asked.calendar.kind is PeriodKind.DAY:
        return
    interval = timedelta(minutes=settings.RANK_SNAPSHOT_MINUTES)
    for starts_at in _day_starts(asked, last):
        is_first = asked.period.starts_at is not None and starts_at <= asked.period.starts_at
        late = starts_at + interval + LATE
        look = next((each for each in looks if starts_at <= each.at < late), None)
        yield Day(starts_at, None if is_first else look, is_first)


def _day_starts(asked: _Asked, last: datetime) -> list[datetime]:
    by_day = replace(asked.calendar, kind=PeriodKind.DAY)
    begun = asked.period.starts_at
    found: list[datetime] = []
    with suppress(BadLabel):  # before the first year
        window = window_at(by_day, last - timedelta(microseconds=1))
        while window.starts_at is not None and len(found) < MOST_DAYS:
            found.append(window.starts_at)
            if begun is not None and window.starts_at <= begun:
                break
            window = previous_window(by_day, window)
    return found[::-1]


def _counts(looks: Sequence[Look]) -> dict[int, dict[int, int]]:
    """By look and rank how many had it, of the first ranks."""
    kept = KeptRank.objects.filter(snapshot__in=[look.pk for look in looks], rank__lte=LINES)
    found: dict[int, dict[int, int]] = defaultdict(dict)
    for look, rank, had in kept.values_list("snapshot", "rank").annotate(had=Count("player")):
        found[look][rank] = had
    return found


def _above(counts: Mapping[int, int]) -> dict[int, int]:
    """How many stood before each rank, and before the one behind the last."""
    above = {1: 0}
    for rank in range(1, LINES + 1):
        above[rank + 1] = above[rank] + counts.get(rank, 0)
    return above


def _load_stood(wanted: Collection[tuple[tuple[int, ...], str]]) -> dict[tuple[tuple[int, ...], str], Then]:
    players: dict[tuple[int, ...], set[str]] = defaultdict(set)
    for looks, player in wanted:
        players[looks].add(player)
    found = {key: Then({}, {}) for key in wanted}
    for looks, asked in players.items():
        kept = KeptRank.objects.filter(snapshot__in=looks, player__external_id__in=asked)
        for player, look, rank, points in kept.values_list("player__external_id", "snapshot", "rank", "points"):
            found[looks, player].ranks[look] = rank
            found[looks, player].points[look] = points
    return found


_pasts: Remembered[_Asked, Past] = Remembered(_load_pasts, fresh=REMEMBERED_SECONDS)
_stood: Remembered[tuple[tuple[int, ...], str], Then] = Remembered(_load_stood, fresh=REMEMBERED_SECONDS)
