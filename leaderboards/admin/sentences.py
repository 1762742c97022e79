"""A board's settings as an admin reads them: the rules in a sentence, moments on the board's own clock."""

from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from leaderboards.core.criteria import Criterion, Order
from leaderboards.core.periods import PeriodKind
from leaderboards.core.points import points_text
from leaderboards.core.rules import Rules, Ties, Update
from leaderboards.models import Board

_BEGINS = {
    PeriodKind.DAY: "Every day at {cutoff} ({zone}) players start again.",
    PeriodKind.WEEK: "Every {day} at {cutoff} ({zone}) players start again.",
    PeriodKind.MONTH: "On the first of every month at {cutoff} ({zone}) players start again.",
    PeriodKind.YEAR: "On the first of January at {cutoff} ({zone}) players start again.",
    PeriodKind.ALL_TIME: "Players never start again.",
    PeriodKind.EVENT: "Each competition is a period of its own.",
}
_UPDATES = {
    Update.BEST: "a player's best submission counts",
    Update.LATEST: "a player's latest submission counts",
    Update.INCREMENT: "a player's submissions add up",
}
_TIES = {
    Ties.FIRST_COME: "among equals, whoever was first is ahead",
    Ties.LAST_COME: "among equals, whoever was last is ahead",
    Ties.SHARED: "equals share a rank, and the ranks after it are left out (1 1 3)",
    Ties.DENSE: "equals share a rank, and no rank is left out (1 1 2)",
}
_WAYS = {Order.DESC: "more", Order.ASC: "less"}


def rules_in_words(board: Board, rules: Rules) -> str:
    """When players start again, what counts, and who is ahead."""
    begins = _BEGINS[PeriodKind(board.period)].format(
        day=board.week_start.capitalize(), cutoff=board.cutoff, zone=board.timezone
    )
    if rules.of_points:
        said = f"{_WAYS[rules.order].capitalize()} points are better; {_UPDATES[rules.update]}; {_TIES[rules.ties]}."
        return f"{begins} {said} {_bounds(rules)}"
    order = ", then ".join(_criterion(each) for each in rules.criteria)
    ties = "" if rules.achieved_at else f"; {_TIES[rules.ties]}"
    return f"{begins} Players are compared by {order}; {_UPDATES[rules.update]}{ties}."


def _criterion(criterion: Criterion) -> str:
    if criterion.is_time:
        return "whoever was there first" if criterion.order is Order.ASC else "whoever was there last"
    return f"{criterion.name} (0 to {criterion.maximum:,}, {_WAYS[criterion.order]} is better)"


def _bounds(rules: Rules) -> str:
    step = f"steps of {points_text(1, rules.decimals)}" if rules.decimals else "whole numbers"
    said = f"One submission is {rules.text(rules.minimum)} to {rules.text(rules.maximum)}, in {step}"
    if rules.update is Update.INCREMENT:
        return f"{said}; a total goes up to {rules.text(rules.total_maximum)}."
    return f"{said}."


def on_the_boards_clock(at: datetime, board: Board, year: bool = False) -> str:
    """Mon 23 Nov 00:00 KST."""
    local = at.astimezone(ZoneInfo(board.timezone))
    return f"{local:%a} {local.day} {local:%b %Y %H:%M %Z}" if year else f"{local:%a} {local.day} {local:%b %H:%M %Z}"


def setting_in_words(board: Board, field: str, value: Any) -> str:
    """A rule's value as the form shows it; ``value`` comes from a period's rules, its points scaled."""
    if field in ("minimum", "maximum", "total_maximum"):
        return board.rules.text(value)
    if field == "criteria":
        return ", ".join(str(each["name"]) for each in value) or "none: points"
    setattr(shown := Board(), field, value)
    display = getattr(shown, f"get_{field}_display", None)
    return str(display() if display else value)
