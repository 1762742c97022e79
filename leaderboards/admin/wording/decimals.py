"""Decimals for display: without the trailing zeros of the database column."""

from collections.abc import Callable, Collection
from typing import Any

from django.contrib import admin
from django.contrib.admin.utils import label_for_field
from django.db.models import Model


def trim_zeros(number: Any) -> str:
    """Format a decimal without trailing zeros: 12.5, not 12.500000."""
    text = format(number, "f") if not isinstance(number, str) else number
    return text.rstrip("0").rstrip(".") if "." in text else text


def with_plain_decimals(fieldsets: Any, model: type[Model], names: Collection[str]) -> list[Any]:
    """Return the fieldsets with the decimal fields ``names`` replaced by read-only columns without trailing zeros."""
    shown = {name: _column(model, name) for name in names}
    return [
        (title, {**options, "fields": tuple(shown.get(name, name) for name in options["fields"])})
        for title, options in fieldsets
    ]


def _column(model: type[Model], name: str) -> Callable[[Model], str]:
    def column(row: Model) -> str:
        number = getattr(row, name)
        return "-" if number is None else trim_zeros(number)

    return admin.display(description=str(label_for_field(name, model)))(column)
