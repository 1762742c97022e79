"""The value of a standing or of what was sent as text, as the pages show it."""

from collections.abc import Sequence

from django.utils.translation import pgettext_lazy

from leaderboards import formats
from leaderboards.admin.wording.names import name_and_id
from leaderboards.models import Period, QuarantinedEntry, Standing, Submission
from leaderboards.stores.sql.writes import state_of

OPERATORS = {
    "set": pgettext_lazy("what is done with a result", "replaces"),
    "best": pgettext_lazy("what is done with a result", "if better"),
    "increment": pgettext_lazy("what is done with a result", "added"),
    "decrement": pgettext_lazy("what is done with a result", "taken off"),
}


def shown_value(row: Standing | Submission | QuarantinedEntry) -> str:
    """Format points with their unit, or fields: 1:05.250, 12,345 points; what was sent with what is done with it."""
    text = state_value(row.period, state_of(row.points, row.fields, row.at).value)
    operator = None if isinstance(row, Standing) else row.operator
    return f"{text} ({OPERATORS.get(operator, operator)})" if operator else text


def state_value(period: Period, value: Sequence[int]) -> str:
    """Format the value of a standing likewise; ``value`` is scaled: the points, or the fields in their order."""
    points, fields = period.rules.shown(tuple(value))
    if fields is None:
        assert points is not None  # noqa: S101 - for the type checker: rules rank by points or by fields
        return formats.points_with_unit(period.board, points)
    return ", ".join(formats.named_number(name, fields[name]) for name in formats.shown_fields(fields))


def player_and_value(row: Standing | Submission | QuarantinedEntry) -> str:
    """Name the row by its player and value: Ann Lee (ann), 12,345 points."""
    return f"{name_and_id(row.player)}, {shown_value(row)}"
