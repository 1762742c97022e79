"""Rows as subjects and values of entries, for whatever model: what JSON can say of them, and never a secret."""

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import date, time, timedelta
from decimal import Decimal
from typing import Any

from django.db.models import BinaryField, ForeignKey, Model, QuerySet
from django.utils.encoding import force_str

from foundation.audit.actions import all_subjects

REDACTED = "•••"  # in the place of what is secret
LONGEST_TEXT = 2000  # characters of a value
_SECRET = re.compile(r"password|secret|hash|token|join_code")
_SAYABLE = (int, float, bool, type(None), date, time, timedelta, Decimal)


def subject_kind(model: type[Model]) -> str:
    """The kind of subject that rows of a model are; one that nobody registered is called as the model is."""
    label = model._meta.label_lower
    return next((each.kind for each in all_subjects().values() if each.model == label), label)


def subjects_of(row: Model) -> Iterator[tuple[str, object]]:
    """The row itself, and what is registered as a subject among what it refers to: its board, its competition."""
    yield subject_kind(type(row)), row.pk
    registered = {each.model: each.kind for each in all_subjects().values()}
    for field in row._meta.concrete_fields:
        if isinstance(field, ForeignKey):
            kind = registered.get(field.related_model._meta.label_lower)
            number = getattr(row, field.attname)
            if kind is not None and number is not None:
                yield kind, number


def row_values(row: Model) -> dict[str, Any]:
    """All that a row holds, by field, without pictures and secrets."""
    said = (each for each in row._meta.concrete_fields if not isinstance(each, BinaryField))
    return {each.name: to_json_value(each.name, getattr(row, each.attname)) for each in said}


def to_json_value(name: str, value: Any) -> Any:
    """A value of the field ``name`` as an entry keeps it: rows by their numbers and names, long texts cut."""
    if _SECRET.search(name):
        return REDACTED if value else ""
    if isinstance(value, Model | bytes | memoryview):
        return f"{value.pk}: {value}" if isinstance(value, Model) else f"{len(value)} bytes"
    if isinstance(value, Mapping):
        return {str(each): to_json_value(str(each), kept) for each, kept in value.items()}
    if isinstance(value, QuerySet | list | tuple | set | frozenset):
        return [to_json_value(name, each) for each in value]
    return value if isinstance(value, _SAYABLE) else force_str(value)[:LONGEST_TEXT]


def changed_names(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterable[str]:
    """The names under which the two say different things."""
    return [name for name in {**before, **after} if before.get(name) != after.get(name)]
