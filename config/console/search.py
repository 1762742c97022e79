"""One field that finds boards, players, competitions, keys and scores, as the search of each list does.

Who may not look at a list is told nothing of it. Each list is asked by itself, and for a handful of rows.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.contrib.admin import AdminSite, ModelAdmin
from django.http import HttpRequest
from django.urls import reverse

from config.console.blocks import Budget

ASKED = (
    "leaderboards.player", "leaderboards.board", "competitions.competition", "foundation.servicekey",
    "leaderboards.submission", "competitions.series", "auth.user",
)  # fmt: skip  # as a list
MOST = 6
LONGEST = 200


@dataclass(frozen=True, slots=True)
class Found:
    """What one list has: its name, rows with their addresses, the address of all, and why it could not be asked."""

    name: str
    rows: Sequence[tuple[str, str]]
    more: str
    failed: str = ""


def find(site: AdminSite, request: HttpRequest, typed: str) -> list[Found]:
    """The lists that have anything, each with its first rows."""
    budget, found = Budget(), list[Found]()
    admins = {model._meta.label_lower: each for model, each in site._registry.items()}
    for label in ASKED:
        model_admin = admins.get(label)
        if model_admin is None or not model_admin.has_view_permission(request):
            continue
        rows = budget.read(label, partial(_rows, model_admin, request, typed))
        if rows.value or rows.failed:
            found.append(_as_found(model_admin, rows.value or [], rows.failed))
    return found


def _rows(model_admin: ModelAdmin[Any], request: HttpRequest, typed: str) -> list[Any]:
    rows, _distinct = model_admin.get_search_results(request, model_admin.get_queryset(request), typed)
    return list(rows[:MOST])


def _as_found(model_admin: ModelAdmin[Any], rows: Sequence[Any], failed: str) -> Found:
    opts = model_admin.opts
    name = f"{opts.app_label}_{opts.model_name}"
    shown = [(str(row), reverse(f"admin:{name}_change", args=[row.pk])) for row in rows[: MOST - 1]]
    more = reverse(f"admin:{name}_changelist") if len(rows) == MOST else ""
    return Found(str(opts.verbose_name_plural).capitalize(), shown, more, failed)
