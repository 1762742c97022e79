"""Turning rows of any model into subjects and JSON values of audit entries, without secrets."""

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import date, time, timedelta
from decimal import Decimal
from typing import Any

from django.db.models import BinaryField, ForeignKey, Model, QuerySet
from django.utils.encoding import force_str

from foundation.audit.actions import all_subjects

REDACTED = "•••"  # instead of a secret
LONGEST_TEXT = 2000  # characters
_SECRET = re.compile(r"password|secret|hash|token|join_code")
_JSON_TYPES = (int, float, bool, type(None), date, time, timedelta, Decimal)


def subject_kind(model: type[Model]) -> str:
    """The registered kind of a model's rows; the model's label if there is none."""
    label = model._meta.label_lower
    return next((each.kind for each in all_subjects().values() if each.model == label), label)


def subjects_of(row: Model) -> Iterator[tuple[str, object]]:
    """The row itself, and the rows it refers to whose model is a registered subject, such as its board."""
    yield subject_kind(type(row)), row.pk
    registered = {each.model: each.kind for each in all_subjects().values()}
    for field in row._meta.concrete_fields:
        if isinstance(field, ForeignKey):
            kind = registered.get(field.related_model._meta.label_lower)
            number = getattr(row, field.attname)
            if kind is not None and number is not None:
                yield kind, number


def row_values(row: Model) -> dict[str, Any]:
    """The values of all fields of a row, by field name, without binary data and secrets."""
    fields = (each for each in row._meta.concrete_fields if not isinstance(each, BinaryField))
    return {each.name: to_json_value(each.name, getattr(row, each.attname)) for each in fields}


def to_json_value(name: str, value: Any) -> Any:
    """Convert a value of the field ``name`` for an entry: rows become "pk: name", long texts are cut."""
    if _SECRET.search(name):
        return REDACTED if value else ""
    if isinstance(value, Model | bytes | memoryview):
        return f"{value.pk}: {value}" if isinstance(value, Model) else f"{len(value)} bytes"
    if isinstance(value, Mapping):
        return {str(key): to_json_value(str(key), each) for key, each in value.items()}
    if isinstance(value, QuerySet | list | tuple | set | frozenset):
        return [to_json_value(name, each) for each in value]
    return value if isinstance(value, _JSON_TYPES) else force_str(value)[:LONGEST_TEXT]


def changed_names(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterable[str]:
    """The names whose values differ."""
    return [name for name in {**before, **after} if before.get(name) != after.get(name)]
