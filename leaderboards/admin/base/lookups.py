"""What may be asked of an admin's list by its address: what its filters and links name, and nothing else.

Django takes any look-up of any field of the listed model: ``?secret__regex=^a`` tells a viewer, letter by letter, what
no page shows them. The trap: an admin without this base would do so again, so a check refuses to start on one.
"""

from collections.abc import Iterator, Sequence
from typing import Any, TypeVar

from django.apps import AppConfig
from django.contrib import admin
from django.contrib.admin.filters import SimpleListFilter
from django.contrib.admin.utils import get_fields_from_path
from django.core.checks import CheckMessage, Error
from django.db.models import DateField, Field, Model
from django.http import HttpRequest

from leaderboards.admin.base.audited import AuditedAdmin

Row = TypeVar("Row", bound=Model)

_OF_A_FIELD = ("exact", "isnull", "isempty")
_OF_A_MOMENT = ("gte", "lt")


class DeclaredLookupsAdmin(AuditedAdmin[Row]):
    """A list that is asked by its declared filters, and by ``extra_lookups``: the look-ups that our own pages link
    to."""

    extra_lookups: tuple[str, ...] = ()

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest | None = None) -> bool:
        """Whether a filter or a link of this admin asks it; Django answers any other with 400."""
        filters = self.list_filter if request is None else self.get_list_filter(request)
        return lookup in self.extra_lookups or any(lookup in lookups_of_filter(self.model, each) for each in filters)


def lookups_of_filter(model: type[Model], declared: Any) -> Iterator[str]:
    """The parameters of one filter, as ``list_filter`` declares it."""
    if isinstance(declared, type) and issubclass(declared, SimpleListFilter):
        yield str(declared.parameter_name)
        return
    path = declared[0] if isinstance(declared, (list, tuple)) else declared
    field = get_fields_from_path(model, path)[-1]
    yield from (f"{path}__{each}" for each in _OF_A_FIELD)
    if field.is_relation and isinstance(field, Field):
        yield f"{path}__{field.target_field.name}__exact"  # type: ignore[attr-defined]  # relations have one
    elif isinstance(field, DateField):
        yield from (f"{path}__{each}" for each in _OF_A_MOMENT)


def check_lookups_are_declared(
    app_configs: Sequence[AppConfig] | None,  # noqa: ARG001 (every check takes the apps)
    **_: Any,
) -> list[CheckMessage]:
    """A check of every admin of every app, Django's own too, asked where all are loaded (``config/admin.py``)."""
    hint = "Let it inherit leaderboards.admin.base.lookups.DeclaredLookupsAdmin."
    open_lists = [each for each in admin.site._registry.values() if not isinstance(each, DeclaredLookupsAdmin)]
    return [Error(f"{each} takes any look-up.", hint=hint, id="sunwi.E006") for each in open_lists]
