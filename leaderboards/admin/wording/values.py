"""The value of a standing or a submission as text: as the API has it, or as the pages show it."""

from django.utils.translation import pgettext_lazy

from leaderboards import formats
from leaderboards.admin.wording.descriptions import with_duration
from leaderboards.models import Standing, Submission
from leaderboards.services.moderation.edit import format_value
from leaderboards.stores.sql.writes import state_of

OPERATORS = {
    "set": pgettext_lazy("what is done with a result", "replaces"),
    "best": pgettext_lazy("what is done with a result", "if better"),
    "increment": pgettext_lazy("what is done with a result", "added"),
    "decrement": pgettext_lazy("what is done with a result", "taken off"),
}


def value_text(row: Standing | Submission) -> str:
    """Format points or fields as the API does, of a submission with its operator; that of a decrement is negative.

    On boards of times the duration comes first: 1:05.250 (65250).
    """
    value = state_of(row.points, row.fields, row.at).value
    text = format_value(row.period, value)
    if row.period.rules.of_points:
        text = with_duration(row.period.board, row.period.rules, value[0], text)
    return f"{text} ({row.operator})" if isinstance(row, Submission) and row.operator else text


def shown_value(row: Standing | Submission) -> str:
    """Format points with their unit, or fields: 1:05.250, 12,345 points; of a submission with what is done with it."""
    points, fields = row.period.rules.shown(state_of(row.points, row.fields, row.at).value)
    board = row.period.board
    if fields is None:
        assert points is not None  # noqa: S101 - for the type checker: rules rank by points or by fields
        text = formats.points_with_unit(board, points)
    else:
        text = ", ".join(formats.named_number(name, fields[name]) for name in formats.shown_fields(fields))
    operator = row.operator if isinstance(row, Submission) else None
    return f"{text} ({OPERATORS.get(operator, operator)})" if operator else text
