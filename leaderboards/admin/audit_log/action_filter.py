"""Filter the audit log by action: one select field with about seventy actions in groups."""

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
    """Filter by action."""

    title = _lazy("act")
    parameter_name = "act"
    template = "admin/audit/act_filter.html"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        """Offer every registered action; actions with the same label (of boards and competitions) are one choice."""
        codes_by_label: dict[str, list[str]] = defaultdict(list)
        for action in all_actions():
            codes_by_label[str(action.label)].append(action.code)
        return [(",".join(sorted(codes)), label) for label, codes in sorted(codes_by_label.items())]

    def choices(self, changelist: Any) -> Iterator[Any]:
        """Yield the choices by group, and the other parameters of the query string, which the form keeps."""
        grouped: dict[Any, list[dict[str, Any]]] = {group: [] for group in (*(name for name, _ in _GROUPS), _OTHERS)}
        for codes, label in self.lookup_choices:
            grouped[_group_of(codes)].append({"value": codes, "label": label, "selected": self.value() == codes})
        query = QueryDict(changelist.get_query_string(remove=[self.parameter_name, "p"]).removeprefix("?"))
        other_parameters = [(name, value) for name, values in query.lists() for value in values]
        yield {"groups": [(name, choices) for name, choices in grouped.items() if choices], "kept": other_parameters}

    def queryset(self, request: HttpRequest, queryset: QuerySet[AuditEntry]) -> QuerySet[AuditEntry]:
        """Filter by the chosen actions."""
        codes = self.value()
        return queryset.filter(act__in=codes.split(",")) if codes else queryset


def _group_of(codes: str) -> Promise:
    """Return the first group with a prefix (the part before the dot) of one of these codes."""
    prefixes = {code.partition(".")[0] for code in codes.split(",")}
    return next((name for name, known in _GROUPS if known & prefixes), _OTHERS)
