"""The admin's home page: each part is read on its own, and only for readers with the permission to view it."""

from datetime import datetime
from typing import Any

from django.http import HttpRequest
from django.utils import timezone
from django.utils.dateformat import format as spell
from django.utils.translation import pgettext

from config.console import words
from config.console.coming import coming
from config.console.need_words import describe_need
from config.console.recent_actions import recent_actions
from config.console.running import boards_running
from config.console.status import Status
from config.console.tiles import tiles
from foundation.db.blocks import Budget
from foundation.monitoring import minutes


def home_context(request: HttpRequest, status: Status, at: datetime) -> dict[str, Any]:
    """Return the template context of the home page."""
    budget = Budget()
    sees_boards, sees_competitions = (
        words.may_view(request, model) for model in ("leaderboards.board", "competitions.competition")
    )
    hour = budget.read("scores a minute", minutes.last_hour).value if sees_boards else None
    needs = [describe_need(need) for need in status.needs if words.may_view(request, need.model)]
    context: dict[str, Any] = {
        "now": at,
        "clock": spell(timezone.localtime(at), pgettext("date format", "D j M Y H:i:s T")),
        "tiles": tiles(budget, status.troubles, hour, at),
        "needs": needs,
        "needs_total": sum(need.count for need in needs),
        "needs_failed": status.failed,
        "sees_boards": sees_boards,
        "sees_next": sees_boards or sees_competitions,
        "sees_log": words.may_view(request, "foundation.auditentry"),
        "may_add_board": request.user.has_perm("leaderboards.add_board"),
    }
    if sees_boards:
        context["boards"] = budget.read("boards", lambda: boards_running(hour, status.troubles, at))
    if context["sees_next"]:
        context["next"] = budget.read(
            "what comes", lambda: coming(at, competitions=sees_competitions, boards=sees_boards)
        )
    if context["sees_log"]:
        context["lately"] = budget.read("the log", lambda: recent_actions(request))
    context["statements"] = budget.statements
    return context
