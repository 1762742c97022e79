"""Names of the subjects of audit entries, with one SQL statement for each kind of subject."""

from collections import defaultdict
from collections.abc import Iterable, Iterator

from django.apps import apps
from django.contrib.admin.utils import get_fields_from_path, get_model_from_relation
from django.core.exceptions import ValidationError
from django.db.models import BinaryField, IntegerField, Model

from foundation.audit.actions import all_subjects
from foundation.audit.models import AuditSubject
from leaderboards.admin.base.lookups import called_by_its_admin

Pair = tuple[str, str]


def load_subject_names(subjects: Iterable[AuditSubject]) -> dict[Pair, str]:
    """Return the names of the subjects' rows by (kind, key), without deleted rows."""
    keys_by_kind: dict[str, set[str]] = defaultdict(set)
    for each in subjects:
        keys_by_kind[each.kind].add(each.key)
    return {
        (kind, str(pk)): name for kind, keys in keys_by_kind.items() for pk, name in _names_of_kind(kind, keys).items()
    }


def _names_of_kind(kind: str, keys: Iterable[str]) -> dict[object, str]:
    kinds = all_subjects()
    try:
        model = apps.get_model(kinds[kind].model if kind in kinds else kind)
    except (LookupError, ValueError):
        return {}
    found = [pk for key in keys if (pk := _primary_key(model, key)) is not None]
    related, name_of = called_by_its_admin(model)
    rows = model._default_manager.defer(*_pictures(model, related)).filter(pk__in=found)
    return {row.pk: name_of(row) for row in (rows.select_related(*related) if related else rows)}


def _pictures(model: type[Model], related: Iterable[str]) -> Iterator[str]:
    """Yield the fields of pictures, of the model and of what is loaded with it: no name needs them."""
    models = {"": model} | {
        f"{each}__": get_model_from_relation(get_fields_from_path(model, each)[-1]) for each in related
    }
    for prefix, each in models.items():
        yield from (f"{prefix}{field.name}" for field in each._meta.concrete_fields if isinstance(field, BinaryField))


def _primary_key(model: type[Model], key: str) -> object:
    """Return the key as a value of the model's primary key; None if it can be none, such as "abc" for a number."""
    if isinstance(model._meta.pk, IntegerField) and not (key.isascii() and key.isdigit()):
        return None
    try:
        return model._meta.pk.to_python(key)
    except (ValidationError, ValueError):
        return None
