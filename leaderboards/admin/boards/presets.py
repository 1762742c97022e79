"""Where a new board may start: settings that differ from the defaults, by the kind of game."""

import json
from dataclasses import dataclass
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from leaderboards.models import Board
from leaderboards.services.boards import SETTINGS


@dataclass(frozen=True)
class Preset:
    """A name in addresses, what people call it, what it is for, and its settings."""

    slug: str
    title: str | Promise
    purpose: str | Promise
    settings: dict[str, Any]


PRESETS = (
    Preset(
        "weekly-wins",
        _("Weekly wins"),
        _("Every win adds up; each week starts at nothing."),
        {"period": "week", "update": "increment"},
    ),
    Preset(
        "speed-run",
        _("Speed run"),
        _("The shortest time counts, in milliseconds, up to an hour."),
        {"period": "week", "order": "asc", "unit": "milliseconds", "maximum": "3600000", "total_maximum": "3600000"},
    ),
    Preset(
        "raid",
        _("Raid"),
        _("The furthest stage, then the fewest members, then whoever was there first."),
        {
            "period": "month",
            "criteria": [
                {"name": "stage", "max": 32750, "order": "desc"},
                {"name": "members", "max": 255, "order": "asc"},
                {"name": "achieved_at", "unit": "s", "order": "asc"},
            ],
        },
    ),
    Preset(
        "golf",
        _("Golf"),
        _("The fewest strokes of the day; equals share a place."),
        {"period": "day", "order": "asc", "ties": "shared", "maximum": "200", "total_maximum": "200"},
    ),
    Preset(
        "all-time",
        _("All time"),
        _("One board for ever, on which everything adds up."),
        {"period": "all_time", "update": "increment"},
    ),
)


def preset_settings(slug: str) -> dict[str, Any]:
    """A whole form's worth of settings, so that one preset leaves nothing of another; empty if unknown."""
    found = next((preset for preset in PRESETS if preset.slug == slug), None)
    if found is None:
        return {}
    fresh = Board()
    defaults = {field: getattr(fresh, field) for field in SETTINGS if field not in ("name", "timezone")}
    return defaults | found.settings


def presets_as_typed() -> list[dict[str, Any]]:
    """Every preset for the form, its settings as the texts that the fields would hold."""
    return [
        {"slug": each.slug, "title": each.title, "purpose": each.purpose, "json": _as_typed(preset_settings(each.slug))}
        for each in PRESETS
    ]


def _as_typed(settings: dict[str, Any]) -> str:
    """Each setting as the text that its field would hold, as JSON."""
    return json.dumps({name: json.dumps(it) if isinstance(it, list) else _text(it) for name, it in settings.items()})


def _text(setting: Any) -> str:
    return "" if setting is None else str(setting)
