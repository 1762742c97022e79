"""Turn a board's settings into a calendar and rules, and check that they can work.

The settings are any object with the attributes of ``docs/boards.md``: a row, a form, a line of a file.
"""

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, time, timedelta
from decimal import Decimal
from enum import StrEnum
from functools import lru_cache
from typing import Any, Protocol, TypeVar

from foundation.messages import Message
from leaderboards.core.input.points import scaled
from leaderboards.core.packing.layout import Layout, choose_layout
from leaderboards.core.periods import WEEKDAYS, Calendar, PeriodKind, Window, window_at
from leaderboards.core.ranking.criteria import read_criteria
from leaderboards.core.ranking.rules import Encoding, Operator, Order, Rules, TieBreak, Ties, Update
from leaderboards.core.schedule_checks import check_schedule
from leaderboards.core.schedules import Schedule
from leaderboards.errors import BadBoard, BadPoints, OutOfRange

# An instant in a longest window of each kind: a leap year, a week in which the clock goes back. An event: 30 days.
_LONGEST = {
    PeriodKind.DAY: datetime(2024, 10, 27, 12, tzinfo=UTC),
    PeriodKind.WEEK: datetime(2024, 10, 27, 0, tzinfo=UTC),
    PeriodKind.MONTH: datetime(2024, 10, 15, tzinfo=UTC),
    PeriodKind.YEAR: datetime(2024, 6, 1, tzinfo=UTC),
    PeriodKind.ALL_TIME: datetime(2024, 6, 1, tzinfo=UTC),
}
_PUT_BACK = timedelta(hours=3)  # the most by which a clock is put back within a window
_EVENT = Window("c0", datetime(2024, 10, 1, tzinfo=UTC), datetime(2024, 10, 31, tzinfo=UTC))

# Settings that never change once a period exists, and settings that take effect with the next period: rules, the number
# of partitions, whether it has tables of its own, and when the windows of a schedule start and how long they are open.
IMMUTABLE_SETTINGS = ("period", "timezone", "week_start", "cutoff", "storage")
RULE_SETTINGS = (
    "order",
    "update",
    "ties",
    "tie_break",
    "criteria",
    "decimals",
    "minimum",
    "maximum",
    "total_maximum",
    "operators",
    "encoding",
    "score_ranges",
)
NEXT_PERIOD_SETTINGS = (*RULE_SETTINGS, "partitions", "own_tables")
SCHEDULE_SETTINGS = ("schedule", "open_minutes")

_CUTOFF = re.compile(r"([01][0-9]|2[0-3]):([0-5][0-9])")


Kind = TypeVar("Kind", bound=StrEnum)


class Settings(Protocol):
    """The settings of a board that are read here."""

    period: Any
    timezone: Any
    week_start: Any
    cutoff: Any
    schedule: Any
    open_minutes: Any
    past_schedules: Any
    order: Any
    update: Any
    ties: Any
    tie_break: Any
    criteria: Any
    decimals: Any
    minimum: Any
    maximum: Any
    total_maximum: Any
    operators: Any
    encoding: Any
    score_ranges: Any


def board_calendar(board: Settings) -> Calendar:
    """Return the board's calendar. Raises ``BadBoard``."""
    schedules = _schedules(board) if board.period == PeriodKind.SCHEDULE else ()
    return _calendar(str(board.period), str(board.timezone), str(board.week_start), str(board.cutoff), schedules)


@lru_cache(maxsize=1024)
def _calendar(period: str, timezone: str, week_start: str, cutoff: str, schedules: tuple[Schedule, ...]) -> Calendar:
    match = _CUTOFF.fullmatch(cutoff)
    if match is None:
        raise BadBoard(Message("The cut-off is a local time such as 00:00 or 04:30."), "cutoff")
    if week_start not in WEEKDAYS:
        raise BadBoard(Message("A week starts on one of: %(days)s.", days=", ".join(WEEKDAYS)), "week_start")
    kind = _one_of(PeriodKind, period, "period")
    if schedules:
        check_schedule(schedules[-1].expression, schedules[-1].open_minutes)
    return Calendar(kind, timezone, WEEKDAYS.index(week_start), time(int(match[1]), int(match[2])), schedules)


def _schedules(board: Settings) -> tuple[Schedule, ...]:
    """Return the schedules that the board has had, and last the present one, which may not hold yet."""
    past: Sequence[Mapping[str, Any]] = board.past_schedules or ()
    ended = (Schedule(each["schedule"], each["open_minutes"], datetime.fromisoformat(each["until"])) for each in past)
    return *ended, Schedule(str(board.schedule), board.open_minutes)


def schedule_at(calendar: Calendar, at: datetime) -> Schedule | None:
    """Return the schedule that holds at ``at``; None for boards without schedule."""
    return next((each for each in calendar.schedules if each.until is None or at < each.until), None)


def check_schedule_settings(board: Settings) -> None:
    """Raise ``BadBoard`` if another board than one of schedules has a schedule."""
    if board.period != PeriodKind.SCHEDULE:
        if board.schedule:
            raise BadBoard(
                Message("`schedule` is for boards whose `period` is `schedule`: leave it empty."), "schedule"
            )
        if board.open_minutes is not None:
            raise BadBoard(
                Message("`open_minutes` is for boards whose `period` is `schedule`: leave it empty."), "open_minutes"
            )


def board_rules(board: Settings) -> Rules:
    """Return the board's rules, with scaled bounds. Raises ``BadBoard``."""
    if isinstance(board.decimals, bool) or not isinstance(board.decimals, int):
        raise BadBoard(Message("`decimals` is a whole number from 0 to 6."), "decimals")
    if not 0 <= board.decimals <= 6:
        raise BadBoard(Message("`decimals` is 0 to 6."), "decimals")
    criteria = read_criteria(board.criteria or [])
    total_maximum = _bound(board, "total_maximum")
    return Rules(
        order=_one_of(Order, board.order, "order"),
        update=_one_of(Update, board.update, "update"),
        ties=_one_of(Ties, board.ties, "ties"),
        tie_break=_one_of(TieBreak, board.tie_break, "tie_break"),
        criteria=criteria,
        decimals=board.decimals,
        minimum=_bound(board, "minimum"),
        maximum=min(_bound(board, "maximum"), total_maximum),
        total_maximum=total_maximum,
        operators=read_operators(board.operators),
        encoding=_one_of(Encoding, board.encoding, "encoding"),
        score_ranges=bool(board.score_ranges),
    )


def read_operators(raw: object) -> tuple[Operator, ...]:
    """Return the operators of settings, each once, in the order of their definition. Raises ``BadBoard``."""
    known = ", ".join(Operator)
    if not isinstance(raw, list | tuple):
        raise BadBoard(
            Message("`operators` is a list of what submissions may name, out of: %(known)s.", known=known), "operators"
        )
    for each in raw:
        if each not in tuple(Operator):
            raise BadBoard(
                Message("`operators` has %(text)s; it may have: %(known)s.", text=repr(str(each)[:40]), known=known),
                "operators",
            )
    return tuple(operator for operator in Operator if operator in raw)


def sample_layout(board: Settings) -> Layout:
    """Return the layout of the board's longest window. Raises ``BadBoard`` if the settings cannot work."""
    rules, window = board_rules(board), longest_window(board)
    layout = choose_layout(rules, window)
    if rules.adds_fields and layout.has_patterns_beyond:
        raise BadBoard(
            Message(
                "The criteria use all 63 bits of a score, and their greatest values together would be no number. Where "
                "submissions add to criteria, every value must fit: lower the greatest value of the first one."
            ),
            "operators",
        )
    return layout


def longest_window(board: Settings) -> Window:
    """Return the longest window that the board may have. Raises ``BadBoard`` if its calendar cannot work."""
    calendar = board_calendar(board)
    check_schedule_settings(board)
    if calendar.kind is PeriodKind.EVENT:
        return _EVENT
    if calendar.kind is not PeriodKind.SCHEDULE:
        return window_at(calendar, _LONGEST[calendar.kind])
    schedule, start = calendar.schedules[-1], _LONGEST[PeriodKind.ALL_TIME]
    longest = check_schedule(schedule.expression, schedule.open_minutes).longest
    if schedule.open_minutes is not None:
        longest = timedelta(minutes=schedule.open_minutes)
    return Window("longest", start, start + longest + _PUT_BACK)


def _one_of(kinds: type[Kind], value: Any, field: str) -> Kind:
    try:
        return kinds(value)
    except ValueError:
        raise BadBoard(
            Message("`%(field)s` is one of: %(values)s.", field=field, values=", ".join(kind.value for kind in kinds)),
            field,
        ) from None


def _bound(board: Settings, field: str) -> int:
    try:
        return scaled(Decimal(getattr(board, field)), board.decimals)
    except (BadPoints, OutOfRange) as error:
        raise BadBoard(Message("`%(field)s`: %(why)s", field=field, why=error.detail), field) from error
