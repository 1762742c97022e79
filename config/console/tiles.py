"""The six tiles of the admin's home page: the state of the servers, each as a number, a word and a shape.

Each tile reads its own data, and says so if it is unknown.
"""

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import connection
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from config.console.refusals import describe_refusal
from config.console.troubles import Trouble, seen
from foundation import clock
from foundation.db.blocks import Budget
from foundation.monitoring import broker
from foundation.monitoring.minutes import Hour
from leaderboards.core.sparks import Spark, spark
from leaderboards.formats import number
from leaderboards.models import ACTIVE_STATES, Period, Storage
from leaderboards.selectors.monitoring.lag import MIRRORED_EVERY, mirror_age, stale_periods

GOOD, WARNING, BAD, UNKNOWN = "good", "warning", "bad", "unknown"
LONG_QUEUE = 1000
MANY_REFUSED = 0.2
QUEUE_FRESH_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class Tile:
    """A title, one of four states, a large value with its unit, a line below, and bars of the last hour."""

    title: str
    state: str
    value: str
    unit: str = ""
    line: str = ""
    spark: Spark | None = None

    @property
    def is_number(self) -> bool:
        """Whether the value is a number, which is shown larger than a word."""
        return self.value.removeprefix("< ")[:1].isdigit()

    @property
    def word(self) -> str:
        """The state as a word, for readers who do not see the shape."""
        return {
            GOOD: _("well"),
            WARNING: _("to be looked at"),
            BAD: _("wrong"),
            UNKNOWN: _("not known"),
        }[self.state]


def tiles(budget: Budget, troubles: Sequence[Trouble], hour: Hour | None, at: datetime) -> list[Tile]:
    """Return all six. ``hour`` is None for readers who may not view boards: scores and refusals are then unknown."""
    wrong = {trouble.code for trouble in troubles}
    return [_sql(budget), _redis(budget, wrong), _mirror(budget, at), _queue(wrong), _scores(hour), _refused(hour)]


def unknown(title: str, line: str = "") -> Tile:
    """Return a tile with an unknown value."""
    return Tile(title, UNKNOWN, "–", line=line or _("not known"))


def _sql(budget: Budget) -> Tile:
    title = "PostgreSQL" if connection.vendor == "postgresql" else "SQL"
    block = budget.read("SQL", _measure_sql)
    if block.value is None:
        return Tile(title, BAD, _("slow"), line=block.failed)
    milliseconds, used, most = block.value
    line = _("%(used)s of %(most)s connections") % {"used": used, "most": most} if most else _("answers")
    is_crowded = bool(most) and used > 0.9 * most
    return Tile(title, WARNING if is_crowded else GOOD, _milliseconds(milliseconds), "ms", line)


def _measure_sql() -> tuple[float, int, int]:
    with connection.cursor() as cursor:
        begun = clock.monotonic()
        cursor.execute("SELECT 1")
        milliseconds = 1000 * (clock.monotonic() - begun)
        if connection.vendor != "postgresql":
            return milliseconds, 0, 0
        cursor.execute("SELECT count(*), current_setting('max_connections')::int FROM pg_stat_activity")
        used, most = cursor.fetchone()
    return milliseconds, int(used), int(most)


def _redis(budget: Budget, wrong: set[str]) -> Tile:
    if seen.milliseconds is None and seen.refusal == "redis_unknown":
        return Tile("Redis", BAD, _("Unknown"), line=_("another server, not let in yet"))
    if seen.milliseconds is None:
        line = _("since %(when)s") % {"when": _clock_time(seen.answered_at)} if seen.answered_at else ""
        return Tile("Redis", BAD, _("No answer"), line=line)
    used = _megabytes(seen.used)
    line = _("%(used)s of %(most)s") % {"used": used, "most": _megabytes(seen.most)} if seen.most else used
    stale = budget.read("stale periods", stale_periods().exists)
    if stale.value:
        line = _("periods are being brought up to date")
    state = BAD if "redis_full" in wrong else WARNING if stale.value else GOOD
    return Tile("Redis", state, _milliseconds(seen.milliseconds), "ms", line)


def _mirror(budget: Budget, _at: datetime) -> Tile:
    title = _("Mirror lag")
    block = budget.read("the mirror", _measure_mirror)
    if block.value is None:
        return unknown(title, block.failed)
    boards, age = block.value
    line = ngettext("over %(number)s period", "over %(number)s periods", boards)
    line %= {"number": number(boards)}
    if not boards:
        return Tile(title, GOOD, "0", "s", _("no board needs it"))
    if age is None:
        return Tile(title, BAD, _("never"), line=line)
    return Tile(title, GOOD if age <= MIRRORED_EVERY else BAD, *_length(age), line)


def _measure_mirror() -> tuple[int, timedelta | None]:
    boards = Period.objects.filter(board__storage=Storage.REDIS, state__in=ACTIVE_STATES).order_by()[:1000].count()
    return boards, mirror_age()


def _queue(wrong: set[str]) -> Tile:
    title = _("Queue")
    waiting = queue_length()
    if waiting is None:
        return Tile(title, BAD, _("No answer"), line=_("the broker does not answer"))
    is_dead = bool(wrong & {"worker_silent", "worker_never"})
    line = _("nobody works on it") if is_dead else _("tasks that wait")
    state = BAD if is_dead else WARNING if waiting > LONG_QUEUE else GOOD
    return Tile(title, state, number(waiting), line=line)


class _Queue:
    """Caches the length of Celery's queue for a few seconds."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._length: int | None = None
        self._until = 0.0

    def length(self) -> int | None:
        with self._lock:
            if clock.monotonic() >= self._until:
                self._length, self._until = _read_queue_length(), clock.monotonic() + QUEUE_FRESH_SECONDS
            return self._length

    def forget(self) -> None:
        self._until = 0.0


_queue_cache = _Queue()
queue_length = _queue_cache.length
forget_queue = _queue_cache.forget


def _read_queue_length() -> int | None:
    try:
        return broker.queue_length()
    except broker.BrokerAway:
        return None


def _scores(hour: Hour | None) -> Tile:
    title = _("Scores a minute")
    if hour is None:
        return unknown(title)
    known = [minute.total for minute in hour.minutes[:-1] if minute is not None]
    drawn = spark([None if minute is None else minute.total for minute in hour.minutes])
    line = _("%(number)s in the last hour") % {"number": number(hour.total.total)}
    if not known:
        return Tile(title, GOOD, number(hour.total.total), line=_("counted since a moment ago"), spark=drawn)
    return Tile(title, GOOD, number(known[-1]), line=line, spark=drawn)


def _refused(hour: Hour | None) -> Tile:
    title = _("Refused")
    if hour is None:
        return unknown(title)
    total = hour.total
    if not total.total:
        return Tile(title, GOOD, "0", "%", _("nothing was sent"))
    share = total.refused / total.total
    code = total.codes.most_common(1)
    line = _("mostly %(code)s") % {"code": describe_refusal(code[0][0])} if code else _("nothing was refused")
    return Tile(title, WARNING if share > MANY_REFUSED else GOOD, percent(share), "%", line)


def percent(share: float) -> str:
    """Format a share as percent, with one decimal below ten percent; what is not nothing is never told as 0."""
    if 0 < share < 0.0005:
        return "< 0.1"
    return f"{100 * share:.1f}".rstrip("0").rstrip(".") if share < 0.1 else f"{100 * share:.0f}"


def _milliseconds(value: float) -> str:
    return f"{value:.1f}" if value < 10 else f"{value:.0f}"


def _megabytes(size: int) -> str:
    return f"{size / 1024**3:.1f} GB" if size >= 1024**3 else f"{size / 1024**2:.0f} MB"


def _length(age: timedelta) -> tuple[str, str]:
    seconds = age.total_seconds()
    return (f"{seconds:.1f}", "s") if seconds < 120 else (f"{seconds // 60:.0f}", "min")


def _clock_time(at: datetime) -> str:
    return f"{at:%H:%M} UTC"
