"""Search boards, players, competitions, keys and scores at once, each with the search of its admin list.

Only lists that the reader may view are searched, each on its own and for a few rows.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.contrib.admin import AdminSite, ModelAdmin
from django.http import HttpRequest
from django.urls import reverse

from foundation.db.blocks import Budget
from leaderboards.admin.base.lookups import called_by_its_admin

SEARCHED = (
    "leaderboards.player", "leaderboards.board", "competitions.competition", "foundation.servicekey",
    "leaderboards.submission", "competitions.series", "auth.user",
)  # fmt: skip  # as a list
MOST = 6
LONGEST = 200


@dataclass(frozen=True, slots=True)
class Found:
    """The hits of a list: its name, rows with addresses, the address of all hits, and why the search failed."""

    name: str
    rows: Sequence[tuple[str, str]]
    more: str
    failed: str = ""


def find(site: AdminSite, request: HttpRequest, typed: str) -> list[Found]:
    """Return the lists with hits or errors, each with its first rows."""
    budget, hits = Budget(), list[Found]()
    admins = {model._meta.label_lower: each for model, each in site._registry.items()}
    for label in SEARCHED:
        model_admin = admins.get(label)
        if model_admin is None or not model_admin.has_view_permission(request):
            continue
        rows = budget.read(label, partial(_rows, model_admin, request, typed))
        if rows.value or rows.failed:
            hits.append(_as_found(model_admin, rows.value or [], rows.failed))
    return hits


def _rows(model_admin: "ModelAdmin[Any]", request: HttpRequest, typed: str) -> list[Any]:
    rows, _distinct = model_admin.get_search_results(request, model_admin.get_queryset(request), typed)
    related, _name_of = called_by_its_admin(model_admin.model)
    return list((rows.select_related(*related) if related else rows)[:MOST])


def _as_found(model_admin: "ModelAdmin[Any]", rows: Sequence[Any], failed: str) -> Found:
    opts = model_admin.opts
    name = f"{opts.app_label}_{opts.model_name}"
    _related, name_of = called_by_its_admin(model_admin.model)
    shown = [(name_of(row), reverse(f"admin:{name}_change", args=[row.pk])) for row in rows[: MOST - 1]]
    more = reverse(f"admin:{name}_changelist") if len(rows) == MOST else ""
    return Found(str(opts.verbose_name_plural).capitalize(), shown, more, failed)
