"""The page of health: what ``manage.py doctor`` looks at, what is wrong first.

Whoever may look at periods sees the checks; all other staff what is wrong, and what to do about it.
"""

from datetime import datetime
from itertools import islice
from typing import Any

from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _lazy

from config.console import words
from leaderboards.management import doctor_checks

MAY_SEE_CHECKS = "leaderboards.period"
NO_CHECKS = ("boards",)  # when each ends: it is no check, and as long as there are boards
MOST = 200
NAMES = {
    "SQL": _lazy("SQL"),
    "migrations": _lazy("Migrations"),
    "clock": _lazy("Clock"),
    "Redis": "Redis",
    "Redis known": _lazy("Redis is known"),
    "appendonly": _lazy("Redis writes down what it has"),
    "maxmemory-policy": _lazy("Redis evicts nothing"),
    "memory": _lazy("Memory of Redis"),
    "page cache": _lazy("Page cache"),
    "worker": _lazy("Worker"),
    "the worker's clock": _lazy("The worker's clock"),
    "unmirrored standings": _lazy("Standings that only Redis has"),
    "stale periods": _lazy("Stale periods"),
    "sync states": _lazy("Memories of periods"),
    "dead letters": _lazy("Dead letters"),
    "differences": _lazy("Differences"),
}


def health_context(request: HttpRequest, at: datetime) -> dict[str, Any]:
    """What the template of the page needs."""
    sees_checks = words.may_look(request, MAY_SEE_CHECKS)
    found = list(islice(doctor_checks.run_checks(at, without=NO_CHECKS), MOST)) if sees_checks else []
    found.sort(key=lambda each: not each.is_red)
    return {
        "sees_checks": sees_checks,
        "findings": [(each, NAMES.get(each.name, each.name)) for each in found],
        "reds": sum(each.is_red for each in found),
    }
