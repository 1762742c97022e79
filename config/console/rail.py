"""The navigation rail: every list of the admin by task instead of by app, with the count of waiting work.

Frequent lists are open, others are folded. Lists of other apps that have no place here come last.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext_lazy as _lazy
from django.utils.translation import pgettext_lazy

RUN, PEOPLE, SYSTEM = "run", "people", "system"
NAMES = {
    RUN: pgettext_lazy("a group of the admin", "Run"),
    PEOPLE: pgettext_lazy("a group of the admin", "People"),
    SYSTEM: pgettext_lazy("a group of the admin", "System"),
}
MORE = _lazy("More")
OPEN = {
    RUN: (
        "leaderboards.board", "leaderboards.period", "competitions.competition", "competitions.series",
        "competitions.league", "competitions.rewardgrant",
    ),
    PEOPLE: (
        "leaderboards.player", "leaderboards.submission", "leaderboards.quarantinedentry", "competitions.comment",
        "leaderboards.restriction", "leaderboards.purge",
    ),
    SYSTEM: (
        "foundation.servicekey", "foundation.webhookendpoint", "foundation.webhookdelivery", "foundation.deadletter",
        "leaderboards.difference", "foundation.auditentry", "likes.activityday",
    ),
}  # fmt: skip  # as lists
FOLDED = {
    RUN: (
        "competitions.participant", "competitions.team", "competitions.rewardtier", "competitions.snapshot",
        "competitions.seriesresult", "competitions.leaguemember", "leaderboards.standing", "leaderboards.importrun",
    ),
    PEOPLE: ("auth.user", "auth.group", "accounts.invitation", "competitions.notice", "competitions.mail"),
    SYSTEM: (),
}  # fmt: skip  # as lists


def grouped(models: Mapping[str, dict[str, Any]], index: str) -> list[dict[str, Any]]:
    """Group Django's dictionaries of models (keys such as ``leaderboards.board``) in Django's format of apps.

    ``more`` holds the folded models. Groups without any model for the reader are omitted.
    """
    remaining = dict(models)
    groups = []
    for label, name in NAMES.items():
        shown, more = (_take(remaining, places[label]) for places in (OPEN, FOLDED))
        groups.append((label, name, shown, more))
    groups[-1][3].extend(sorted(remaining.values(), key=lambda each: str(each["name"])))
    return [
        {
            "name": name,
            "app_label": label,
            "app_url": f"{index}#{label}",
            "has_module_perms": True,
            "models": [*shown, *more],
            "shown": shown,
            "more": more,
        }
        for label, name, shown, more in groups
        if shown or more
    ]


def _take(remaining: dict[str, dict[str, Any]], labels: Sequence[str]) -> list[dict[str, Any]]:
    return [remaining.pop(label) for label in labels if label in remaining]
