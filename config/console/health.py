"""The health page: the checks of ``manage.py doctor``, failed ones first, and skipped ones as what they are.

Staff who may view periods see the checks; all other staff see the troubles and what to do about them.
"""

from datetime import datetime
from itertools import islice
from typing import Any

from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _lazy

from config.console import words
from leaderboards.management import doctor_checks
from leaderboards.management.findings import State

MAY_SEE_CHECKS = "leaderboards.period"
NO_CHECKS = ("boards",)  # a list of the ends of periods, not a check
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
    "histograms": _lazy("Histograms of points"),
    "other problems": _lazy("Other problems"),
}
ABOUT_PERIODS = {
    "stale period ": _lazy("Stale period %(period)s"),
    "sync state of period ": _lazy("Memory of period %(period)s"),
    "histogram of period ": _lazy("Histogram of period %(period)s"),
}
# A shape and a word for each state, so that color alone says nothing.
_SHAPES = {
    State.RED: ("bad", _lazy("wrong")),
    State.WAITING: ("warning", _lazy("not yet well")),
    State.SKIPPED: ("unknown", _lazy("skipped")),
    State.OK: ("good", _lazy("well")),
}


def health_context(request: HttpRequest, at: datetime) -> dict[str, Any]:
    """Return the template context of the health page."""
    sees_checks = words.may_view(request, MAY_SEE_CHECKS)
    results = list(islice(doctor_checks.run_checks(at, without=NO_CHECKS), MOST)) if sees_checks else []
    results.sort(key=lambda each: each.state)
    return {
        "sees_checks": sees_checks,
        "findings": [(each, _name(each.name), *_SHAPES[each.state]) for each in results],
        "reds": sum(each.is_red for each in results),
        "waiting": sum(each.state is State.WAITING for each in results),
        "skipped": sum(each.state is State.SKIPPED for each in results),
    }


def _name(name: str) -> Any:
    """The name of a check in the reader's language; those about one period end with its name."""
    for begin, template in ABOUT_PERIODS.items():
        if name.startswith(begin):
            return template % {"period": name.removeprefix(begin)}
    return NAMES.get(name, name)
