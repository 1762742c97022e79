"""The criteria of a board as rows of a form instead of JSON: add, remove and reorder them, without JavaScript too.

JSON under the field's own name is read too, for scripts that post it. The trap: a board may have its criteria with
``bits``; what means the same as before stays as it was stored, so that saving changes nothing.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.template.loader import render_to_string
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as _lazy

from foundation.translate import translated
from leaderboards.core.ranking.criteria import ACHIEVED_AT, MAX_CRITERIA, read_criteria
from leaderboards.errors import BadBoard

BLANK_ROWS = 5
NUMBER = "number"
KINDS = (
    (NUMBER, _lazy("a number that is sent")),
    ("s", _lazy("when it was achieved, to the second")),
    ("ms", _lazy("when it was achieved, to the millisecond")),
)
BETTER = (("desc", _lazy("more is better")), ("asc", _lazy("less is better, or earlier")))
_PARTS = ("place", "kind", "name", "max", "order", "off")

Row = dict[str, str]


class CriteriaRows(forms.Widget):
    """A row of fields for each criterion, and some that are blank."""

    use_fieldset = True

    def render(self, name: str, value: Any, attrs: Mapping[str, Any] | None = None, renderer: Any = None) -> SafeString:
        """Render the rows of ``value``: settings, rows as they were typed, or a text that cannot be read."""
        is_fixed = bool((attrs or {}).get("disabled"))
        rows = _rows_of(value)
        blank = 0 if is_fixed else min(BLANK_ROWS, MAX_CRITERIA - len(rows))
        rows += [{} for _nth in range(blank)]
        context = {
            "name": name,
            "rows": [{**row, "nth": nth, "number": nth + 1} for nth, row in enumerate(rows)],
            "kinds": KINDS,
            "better": BETTER,
            "is_fixed": is_fixed,
            "most": MAX_CRITERIA,
            "describedby": (attrs or {}).get("aria-describedby", ""),
        }
        return mark_safe(render_to_string("admin/leaderboards/board/_criteria.html", context))  # noqa: S308 - a template escapes

    def value_from_datadict(self, data: Mapping[str, Any], files: Any, name: str) -> Any:
        """Return the rows as typed, or the JSON text of the field's own name; None without either."""
        if name in data:
            return data[name]
        number = data.get(f"{name}-rows", "")
        if not (number.isascii() and number.isdigit() and int(number[:3]) <= 10 * MAX_CRITERIA):
            return None
        typed = [{part: data.get(f"{name}-{nth}-{part}", "").strip() for part in _PARTS} for nth in range(int(number))]
        return [row for row in typed if row["off"] or row["name"] or row["max"] or row["kind"] not in ("", NUMBER)]

    def value_omitted_from_data(self, data: Mapping[str, Any], files: Any, name: str) -> bool:
        """Return whether the form that was sent has neither rows nor JSON."""
        return name not in data and f"{name}-rows" not in data

    def id_for_label(self, id_: str) -> str:
        """Return nothing: each field of a row has a label of its own."""
        return ""


class CriteriaField(forms.Field):
    """Criteria as the settings have them: a list of objects, best first."""

    widget = CriteriaRows

    def to_python(self, value: Any) -> list[dict[str, Any]]:
        """Return the criteria of the rows or of JSON. Raises ``ValidationError``, which names the row."""
        criteria = _of_json(value) if isinstance(value, str) else _of_rows(value or [])
        try:
            read_criteria(criteria)
        except BadBoard as error:
            raise ValidationError(translated(error.detail)) from error
        return criteria

    def has_changed(self, initial: Any, data: Any) -> bool:
        """Return whether these are other criteria, however they are written."""
        try:
            return read_criteria(initial or []) != read_criteria(self.to_python(data))
        except (BadBoard, ValidationError):
            return True


def as_stored_if_same(stored: Any, typed: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return ``stored`` if it means the same as ``typed``."""
    try:
        is_same = read_criteria(stored or []) == read_criteria(typed)
    except BadBoard:  # an older release stored what this one refuses
        return typed
    return list(stored or []) if is_same else typed


def _of_json(text: str) -> list[dict[str, Any]]:
    try:
        found = json.loads(text) if text.strip() else []
    except ValueError as error:
        raise ValidationError(_("Criteria are a list in JSON, or rows of the form.")) from error
    return found or []


def _of_rows(rows: Sequence[Row]) -> list[dict[str, Any]]:
    kept = [(nth, row) for nth, row in enumerate(rows, 1) if not row["off"]]
    placed = [(_place(nth, row), nth, row) for nth, row in kept]
    return [_criterion(nth, row) for _place_typed, nth, row in sorted(placed, key=lambda each: each[:2])]


def _place(nth: int, row: Row) -> int:
    return (
        _whole(row["place"], _("Row %(row)s: the position is a whole number.") % {"row": nth}) if row["place"] else nth
    )


def _criterion(nth: int, row: Row) -> dict[str, Any]:
    order = row["order"] if row["order"] in ("desc", "asc") else ("asc" if row["kind"] in ("s", "ms") else "desc")
    if row["kind"] in ("s", "ms"):
        return {"name": ACHIEVED_AT, "unit": row["kind"], "order": order}
    if not row["name"]:
        raise ValidationError(_("Row %(row)s: give the criterion a name, such as stage.") % {"row": nth})
    if row["name"] == ACHIEVED_AT:
        raise ValidationError(
            _("Row %(row)s: choose when it was achieved instead of the name achieved_at.") % {"row": nth}
        )
    say = _("Row %(row)s: the greatest value of %(name)s is a whole number from 1 on.") % {
        "row": nth,
        "name": row["name"],
    }
    return {"name": row["name"], "max": _whole(row["max"], say), "order": order}


def _whole(text: str, otherwise: str) -> int:
    plain = text.replace(",", "").replace(" ", "").replace("\N{NO-BREAK SPACE}", "")
    if not (plain.isascii() and plain.isdigit() and len(plain) <= 16):
        raise ValidationError(otherwise)
    return int(plain)


def _rows_of(value: Any) -> list[Row]:
    """Return what the rows show: of settings, or as it was typed."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except ValueError:
            return []
    if not isinstance(value, list):
        return []
    return [_shown(each) for each in value if isinstance(each, dict)]


def _shown(each: Mapping[str, Any]) -> Row:
    if "kind" in each:
        return dict(each)
    if each.get("name") == ACHIEVED_AT:
        return {"kind": str(each.get("unit") or "s"), "name": "", "max": "", "order": str(each.get("order", ""))}
    bits = each.get("bits")
    most = 2**bits - 1 if isinstance(bits, int) and 0 < bits <= 53 else each.get("max", "")
    return {"kind": NUMBER, "name": str(each.get("name", "")), "max": str(most), "order": str(each.get("order", ""))}
