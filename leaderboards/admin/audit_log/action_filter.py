"""The audit log filtered by its acts: some seventy of them, in groups, so that a page has one field for it."""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest, QueryDict
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _lazy

from foundation.audit.actions import all_actions
from foundation.audit.models import AuditEntry

_GROUPS: tuple[tuple[Promise, frozenset[str]], ...] = (
    (_lazy("Players"), frozenset({"player"})),
    (_lazy("Scores"), frozenset({"score", "scores", "standing", "submission", "submissions", "import"})),
    (_lazy("Boards"), frozenset({"board"})),
    (_lazy("Competitions"), frozenset({"competition", "reward", "series"})),
    (_lazy("Accounts"), frozenset({"account", "group"})),
    (_lazy("Service keys and webhooks"), frozenset({"service_key", "webhook", "dead_letter"})),
)
_OTHERS = _lazy("Others")


class ActionFilter(admin.SimpleListFilter):
    """By the act."""

    title = _lazy("act")
    parameter_name = "act"
    template = "admin/audit/act_filter.html"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        """Every act that is registered; those that are called alike, on boards and in competitions, are one choice."""
        codes: dict[str, list[str]] = defaultdict(list)
        for act in all_actions():
            codes[str(act.label)].append(act.code)
        return [(",".join(sorted(found)), label) for label, found in sorted(codes.items())]

    def choices(self, changelist: Any) -> Iterator[Any]:
        """A field of groups, and what else the list is filtered by, which stays."""
        grouped: dict[Any, list[dict[str, Any]]] = {group: [] for group in (*(name for name, _ in _GROUPS), _OTHERS)}
        for codes, label in self.lookup_choices:
            grouped[_group_of(codes)].append({"value": codes, "label": label, "selected": self.value() == codes})
        others = QueryDict(changelist.get_query_string(remove=[self.parameter_name, "p"]).removeprefix("?"))
        kept = [(name, value) for name, values in others.lists() for value in values]
        yield {"groups": [(name, found) for name, found in grouped.items() if found], "kept": kept}

    def queryset(self, request: HttpRequest, queryset: QuerySet[AuditEntry]) -> QuerySet[AuditEntry]:
        """The entries of the chosen ones."""
        asked = self.value()
        return queryset.filter(act__in=asked.split(",")) if asked else queryset


def _group_of(codes: str) -> Promise:
    """By what stands before the point of a code; the first group that has one of them."""
    prefixes = {code.partition(".")[0] for code in codes.split(",")}
    return next((name for name, known in _GROUPS if known & prefixes), _OTHERS)
