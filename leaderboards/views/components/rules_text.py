"""Describe a period's rules in sentences, in the reader's language.

The rules are those with which the period opened; unit and calendar are the board's current ones.
"""

from django.utils.dates import WEEKDAYS
from django.utils.translation import gettext as _

from leaderboards.core.periods import PeriodKind
from leaderboards.core.ranking.criteria import Criterion, Order
from leaderboards.core.ranking.rules import Operator, Rules, Ties, Update
from leaderboards.formats import field_name, whole_duration
from leaderboards.models import WITHOUT_SUBMISSIONS, Board, Unit


def rules_sentences(board: Board, rules: Rules) -> list[str]:
    """Return the sentences: what is better, what counts, who is ahead among equals, when periods start and
    how long they take results, which operators are allowed, and who reads metadata."""
    sentences = [_better(board, rules), _counts(rules), _equals(rules), _again(board), _late(board)]
    sentences += [_operators(rules), _metadata(board)]
    return [sentence for sentence in sentences if sentence]


def _better(board: Board, rules: Rules) -> str:
    if not rules.of_points:
        names = ", ".join(_criterion(each) for each in rules.fields)
        return _("Compared one after the other: %(names)s.") % {"names": names}
    if board.unit in (Unit.SECONDS, Unit.MILLISECONDS):
        return _("The shortest time wins.") if rules.order is Order.ASC else _("The longest time wins.")
    return _("The fewest points win.") if rules.order is Order.ASC else _("The most points win.")


def _criterion(criterion: Criterion) -> str:
    more = _("%(name)s (more is better)") if criterion.order is Order.DESC else _("%(name)s (less is better)")
    return more % {"name": field_name(criterion.name)}


def _counts(rules: Rules) -> str:
    return {
        Update.BEST: _("Only your best result counts."),
        Update.LATEST: _("Only your latest result counts."),
        Update.INCREMENT: _("All your results are added up."),
    }[rules.update]


def _equals(rules: Rules) -> str:
    return {
        Ties.FIRST_COME: _("Among equals, the first to get there stands higher."),
        Ties.LAST_COME: _("Among equals, the last to get there stands higher."),
        Ties.SHARED: _("Equals share a rank."),
        Ties.DENSE: _("Equals share a rank."),
    }[rules.ties]


def _operators(rules: Rules) -> str:
    """Return what the game may do with a single result; empty where it is always the same."""
    deeds = {
        Operator.SET: _("replace what stands"),
        Operator.BEST: _("keep the best"),
        Operator.INCREMENT: _("add to it"),
        Operator.DECREMENT: _("take from it"),
    }
    named = ", ".join(deed for operator, deed in deeds.items() if operator in rules.operators)
    return _("For a single result the game may also choose to: %(deeds)s.") % {"deeds": named} if named else ""


def _metadata(board: Board) -> str:
    if board.storage in WITHOUT_SUBMISSIONS:
        return ""
    return _("The game may add details to a result; everybody who may see the board may read them.")


def _late(board: Board) -> str:
    if board.period in (PeriodKind.ALL_TIME, PeriodKind.EVENT) or not board.grace_seconds:
        return ""
    words = {"duration": whole_duration(board.grace_seconds)}
    return _("A result from before the end still counts if it arrives within %(duration)s.") % words


def schedule_text(board: Board) -> str:
    """Return when the windows of a schedule are open; empty for other boards."""
    if board.period != PeriodKind.SCHEDULE:
        return ""
    words = {"zone": board.timezone, "duration": whole_duration((board.open_minutes or 0) * 60)}
    if board.open_minutes is None:
        return _("Everybody starts again whenever the next window opens (%(zone)s).") % words
    return _("Everybody starts again with each window; each is open for %(duration)s (%(zone)s).") % words


def _again(board: Board) -> str:
    when = {
        "day": WEEKDAYS[board.calendar.week_start],
        "time": board.cutoff,
        "zone": board.timezone,
    }
    return {
        PeriodKind.DAY: _("Everybody starts again every day at %(time)s (%(zone)s).") % when,
        PeriodKind.WEEK: _("Everybody starts again every %(day)s at %(time)s (%(zone)s).") % when,
        PeriodKind.MONTH: _("Everybody starts again on the first of every month at %(time)s (%(zone)s).") % when,
        PeriodKind.YEAR: _("Everybody starts again on 1 January at %(time)s (%(zone)s).") % when,
        PeriodKind.ALL_TIME: _("Results count for good."),
        PeriodKind.EVENT: _("Results count in competitions, each with its own start and end."),
        PeriodKind.SCHEDULE: schedule_text(board),
    }[PeriodKind(board.period)]
