"""Allow only declared lookups in the query string of an admin's list: those of its filters and of our own links.

Django allows many lookups on fields of the listed model: with ``?secret__regex=^a`` a viewer could read, letter by
letter, a value that no page shows. A system check (sunwi.E006) refuses any admin without this base class.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from django.apps import AppConfig
from django.contrib import admin
from django.contrib.admin.filters import SimpleListFilter
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.contrib.admin.utils import get_fields_from_path
from django.core.checks import CheckMessage, Error
from django.db.models import DateField, Field, Model
from django.forms import CheckboxInput
from django.http import HttpRequest, HttpResponse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from leaderboards.admin.base.audited import AuditedAdmin

Row = TypeVar("Row", bound=Model)

_FIELD_LOOKUPS = ("exact", "isnull", "isempty")
_DATE_LOOKUPS = ("gte", "lt")


class DeclaredLookupsAdmin(AuditedAdmin[Row]):
    """An admin whose list allows the lookups of its filters, and ``extra_lookups``, which our own pages link to."""

    extra_lookups: tuple[str, ...] = ()

    def row_name(self, row: Row) -> str:
        """Return what the row is called: by the heading of its page, and by a screen reader at its checkbox."""
        return str(row)

    def entry_acts(self, request: HttpRequest, row: Row) -> Sequence[tuple[str, str]]:
        """Return the actions of the list that the row's own page offers: each with its label. None here."""
        del request, row
        return ()

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, obj: Row | None = None, **kwargs: Any
    ) -> HttpResponse:
        """Head the page with ``row_name`` where nothing else does, and offer its ``entry_acts``."""
        if obj is not None:
            context["entry_acts"] = self.entry_acts(request, obj)
        if obj is not None and context.get("subtitle") == str(obj):
            context |= dict.fromkeys(("subtitle", "row_name"), self.row_name(obj))
        return super().render_change_form(request, context, *args, obj=obj, **kwargs)

    def action_checkbox(self, obj: Row) -> SafeString:
        """Return the checkbox that selects the row, as Django's own, but called by ``row_name``."""
        label = format_html(_("Select this object for an action - {}"), self.row_name(obj))
        box = CheckboxInput({"class": "action-select", "aria-label": label}, lambda _value: False)
        return box.render(ACTION_CHECKBOX_NAME, str(obj.pk))

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest | None = None) -> bool:
        """Return whether the lookup is declared; Django answers any other with 400."""
        filters = self.list_filter if request is None else self.get_list_filter(request)
        return lookup in self.extra_lookups or any(lookup in lookups_of_filter(self.model, each) for each in filters)


def called_by_its_admin(model: type[Row]) -> tuple[tuple[str, ...], Callable[[Row], str]]:
    """Return what the admin calls the rows of a model, and the relations to load for that."""
    found = admin.site._registry.get(model)
    if not isinstance(found, DeclaredLookupsAdmin) or type(found).row_name is DeclaredLookupsAdmin.row_name:
        return (), str
    related = found.list_select_related
    return tuple(related) if isinstance(related, (list, tuple)) else (), found.row_name


def lookups_of_filter(model: type[Model], declared: Any) -> Iterator[str]:
    """Yield the query parameters of one filter of ``list_filter``."""
    if isinstance(declared, type) and issubclass(declared, SimpleListFilter):
        yield str(declared.parameter_name)
        return
    path = declared[0] if isinstance(declared, (list, tuple)) else declared
    field = get_fields_from_path(model, path)[-1]
    yield from (f"{path}__{each}" for each in _FIELD_LOOKUPS)
    if field.is_relation and isinstance(field, Field):
        yield f"{path}__{field.target_field.name}__exact"  # type: ignore[attr-defined]  # only relations get here, and they have a target
    elif isinstance(field, DateField):
        yield from (f"{path}__{each}" for each in _DATE_LOOKUPS)


def check_lookups_are_declared(
    app_configs: Sequence[AppConfig] | None,  # noqa: ARG001 - every check takes the apps
    **_: Any,
) -> list[CheckMessage]:
    """Check the admins of all apps, Django's own too; runs once all are loaded (``config/admin.py``)."""
    hint = "Let it inherit leaderboards.admin.base.lookups.DeclaredLookupsAdmin."
    open_lists = [each for each in admin.site._registry.values() if not isinstance(each, DeclaredLookupsAdmin)]
    return [Error(f"{each} takes any look-up.", hint=hint, id="sunwi.E006") for each in open_lists]
