"""Names for the controls of forms that Django shows without a label: cells of inlines, and both parts of a date-time.

Django draws their headings as text of a table or a paragraph, which no control refers to; a screen reader then says
"edit" of each.
"""

from typing import Any

from django.contrib.admin.widgets import AdminSplitDateTime
from django.forms import BaseForm, Field
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _lazy

_PARTS = (_lazy("{}: date"), _lazy("{}: time"))


def label_form(form: BaseForm) -> None:
    """Name both parts of each date-time of a form."""
    for field in form.fields.values():
        _label_parts(field)


def label_inline(formset: Any) -> None:
    """Name every control of an inline: of its rows, and of the empty row, which is made from the form's class."""
    for form in formset.forms:
        _label_all(form.fields)
    _label_all(formset.form.base_fields)


def _label_all(fields: dict[str, Field]) -> None:
    for field in fields.values():
        if field.label and not _label_parts(field):
            widget: Any = getattr(field.widget, "widget", field.widget)  # that of a relation is wrapped
            widget.attrs.setdefault("aria-label", field.label)


def _label_parts(field: Field) -> bool:
    """Name the parts of a date-time; False for any other field."""
    if not isinstance(field.widget, AdminSplitDateTime):
        return False
    for part, pattern in zip(field.widget.widgets, _PARTS, strict=True):
        part.attrs.setdefault("aria-label", format_lazy(pattern, field.label))
    return True
