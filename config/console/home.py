"""The parts of the admin's home page, each read by itself, and each for who may look at what it tells of."""

from datetime import datetime
from typing import Any

from django.http import HttpRequest

from config.console import words
from config.console.blocks import Budget
from config.console.coming import coming
from config.console.lately import done_lately
from config.console.look import Look
from config.console.running import boards_running
from config.console.tiles import tiles
from foundation.monitoring import minutes


def home_context(request: HttpRequest, found: Look, at: datetime) -> dict[str, Any]:
    """What the template of the home page needs."""
    budget = Budget()
    sees_boards, sees_competitions = (
        words.may_look(request, model) for model in ("leaderboards.board", "competitions.competition")
    )
    hour = minutes.last_hour() if sees_boards else None
    needs = [words.waits(need) for need in found.needs if words.may_look(request, need.model)]
    context: dict[str, Any] = {
        "now": at,
        "tiles": tiles(budget, found.troubles, hour, at),
        "needs": needs,
        "needs_total": sum(need.count for need in needs),
        "needs_failed": found.failed,
        "sees_boards": sees_boards,
        "sees_next": sees_boards or sees_competitions,
        "sees_log": words.may_look(request, "foundation.auditentry"),
        "may_add_board": request.user.has_perm("leaderboards.add_board"),
    }
    if sees_boards:
        context["boards"] = budget.read("boards", lambda: boards_running(hour, found.troubles, at))
    if context["sees_next"]:
        context["next"] = budget.read(
            "what comes", lambda: coming(at, competitions=sees_competitions, boards=sees_boards)
        )
    if context["sees_log"]:
        context["lately"] = budget.read("the log", lambda: done_lately(request))
    context["statements"] = budget.statements
    return context
