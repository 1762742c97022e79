"""A board's settings as text: the rules in sentences, times in the board's time zone."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

from django.utils.dateformat import format as spell
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as _lazy
from django.utils.translation import pgettext

from leaderboards.choices import Unit
from leaderboards.core.input.points import points_number, points_text
from leaderboards.core.periods import PeriodKind
from leaderboards.core.ranking.criteria import Criterion, Order
from leaderboards.core.ranking.rules import Rules, Ties, Update
from leaderboards.formats import points, whole_duration
from leaderboards.models import Board

_BEGINS = {
    PeriodKind.DAY: _lazy("Every day at %(cutoff)s (%(zone)s) players start again."),
    PeriodKind.WEEK: _lazy("Every %(day)s at %(cutoff)s (%(zone)s) players start again."),
    PeriodKind.MONTH: _lazy("On the first of every month at %(cutoff)s (%(zone)s) players start again."),
    PeriodKind.YEAR: _lazy("On the first of January at %(cutoff)s (%(zone)s) players start again."),
    PeriodKind.ALL_TIME: _lazy("Players never start again."),
    PeriodKind.EVENT: _lazy("Each competition is a period of its own."),
    PeriodKind.SCHEDULE: _lazy("Windows start by %(schedule)s (%(zone)s), each until the next; players start again."),
}
_UPDATES = {
    Update.BEST: _lazy("a player's best submission counts"),
    Update.LATEST: _lazy("a player's latest submission counts"),
    Update.INCREMENT: _lazy("a player's submissions add up"),
}
_TIES = {
    Ties.FIRST_COME: _lazy("among equals, the first to get there is ahead"),
    Ties.LAST_COME: _lazy("among equals, the last to get there is ahead"),
    Ties.SHARED: _lazy("equals share a rank, and the ranks after it are left out (1 1 3)"),
    Ties.DENSE: _lazy("equals share a rank, and no rank is left out (1 1 2)"),
}


def rules_in_words(board: Board, rules: Rules) -> str:
    """Describe when a period begins, which submission counts, and how players are ranked."""
    is_schedule = board.period == PeriodKind.SCHEDULE
    pattern = str(_BEGINS[PeriodKind(board.period)])
    if is_schedule and not board.schedule.strip():
        pattern = ""
    elif is_schedule and board.open_minutes:
        pattern = _("Windows start by %(schedule)s (%(zone)s), each for %(duration)s; players start again.")
    begins = pattern % {
        "schedule": board.schedule,
        "duration": whole_duration((board.open_minutes or 0) * 60),
        "day": _(board.week_start.capitalize()),  # Django's own catalogue has the days of the week
        "cutoff": board.cutoff,
        "zone": board.timezone,
    }
    words = {"update": str(_UPDATES[rules.update]), "ties": str(_TIES[rules.ties])}
    if rules.of_points:
        return " ".join(filter(None, [begins, _points_sentence(rules) % words, _bounds(board, rules)]))
    words["order"] = _(", then ").join(_criterion(each) for each in rules.criteria)
    if rules.achieved_at:
        return " ".join(filter(None, [begins, _("Players are compared by %(order)s; %(update)s.") % words]))
    return " ".join(filter(None, [begins, _("Players are compared by %(order)s; %(update)s; %(ties)s.") % words]))


def _points_sentence(rules: Rules) -> str:
    if rules.order is Order.DESC:
        return _("More points are better; %(update)s; %(ties)s.")
    return _("Less points are better; %(update)s; %(ties)s.")


def _criterion(criterion: Criterion) -> str:
    if criterion.is_time:
        return _("the first to get there") if criterion.order is Order.ASC else _("the last to get there")
    more = criterion.order is Order.DESC
    words = _("%(name)s (0 to %(most)s, more is better)") if more else _("%(name)s (0 to %(most)s, less is better)")
    return words % {"name": criterion.name, "most": f"{criterion.maximum:,}"}


def _bounds(board: Board, rules: Rules) -> str:
    words = {
        "least": points_spelled(board, rules, rules.minimum),
        "most": points_spelled(board, rules, rules.maximum),
        "step": _("steps of %(step)s") % {"step": points_text(1, rules.decimals)}
        if rules.decimals
        else _("whole numbers"),
    }
    if rules.update is not Update.INCREMENT:
        return _("One submission is %(least)s to %(most)s, in %(step)s.") % words
    words["total"] = points_spelled(board, rules, rules.total_maximum)
    return _("One submission is %(least)s to %(most)s, in %(step)s; a total goes up to %(total)s.") % words


def points_spelled(board: Board, rules: Rules, scaled: int) -> str:
    """Format scaled points; on boards of times the duration too."""
    return with_duration(board, rules, scaled, rules.text(scaled))


def with_duration(board: Board, rules: Rules, scaled: int, text: str) -> str:
    """Put the duration before ``text``, which is scaled points, on boards of times: 1:00:00.000 (3,600,000)."""
    if board.unit not in (Unit.SECONDS, Unit.MILLISECONDS):
        return text
    return f"{points(board, points_number(scaled, rules.decimals))} ({text})"


def on_the_boards_clock(at: datetime, board: Board, year: bool = False) -> str:
    """Format a time in the board's time zone: Mon 23 Nov 00:00 KST."""
    local = at.astimezone(ZoneInfo(board.timezone))
    return spell(local, pgettext("date format", "D j M Y H:i T") if year else pgettext("date format", "D j M H:i T"))


def in_utc(at: datetime | None) -> str:
    """Format a time that belongs to no board: Mon 23 Nov 2026 00:00 UTC; "-" for None."""
    return "-" if at is None else spell(at.astimezone(UTC), pgettext("date format", "D j M Y H:i T"))


def exactly_in_utc(at: datetime | None) -> str:
    """Format a time with seconds: Mon 23 Nov 2026 00:00:05 UTC; "-" for None."""
    return "-" if at is None else spell(at.astimezone(UTC), pgettext("date format", "D j M Y H:i:s T"))


def setting_in_words(field: str, value: Any, spell_points: Callable[[Any], str]) -> str:
    """Format a setting's value as the form shows it, "-" for None; ``spell_points`` formats values that are points."""
    if value is None:
        return "-"
    if field in ("minimum", "maximum", "total_maximum"):
        return spell_points(value)
    if field == "criteria":
        return ", ".join(str(each["name"]) for each in value) or _("none: points")
    if field == "operators":
        return ", ".join(map(str, value)) or pgettext("no operators", "none")
    setattr(shown := Board(), field, value)
    display = getattr(shown, f"get_{field}_display", None)
    return str(display() if display else value) or "-"
