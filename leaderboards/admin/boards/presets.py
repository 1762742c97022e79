"""Presets for new boards: settings that differ from the defaults, by kind of game."""

import json
from dataclasses import dataclass
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from leaderboards.models import Board
from leaderboards.services.boards import SETTINGS


@dataclass(frozen=True)
class Preset:
    """A preset: its slug for URLs, its title, its purpose, and its settings."""

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
        _("The furthest stage, then the fewest members, then the first to get there."),
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
        "weekend-cup",
        _("Weekend cup"),
        _("Open from Friday 18:00 to Sunday 22:00, closed in between."),
        {"period": "schedule", "schedule": "0 18 * * 5", "open_minutes": 2 * 1440 + 240},
    ),
    Preset(
        "daily-arena",
        _("Daily arena"),
        _("Open each day from 12:00 to 14:00."),
        {"period": "schedule", "schedule": "0 12 * * *", "open_minutes": 120},
    ),
    Preset(
        "all-time",
        _("All time"),
        _("One board for ever, on which everything adds up."),
        {"period": "all_time", "update": "increment"},
    ),
)


def preset_settings(slug: str) -> dict[str, Any]:
    """Return all settings of a preset, so that choosing it resets those of another; empty if unknown."""
    preset = next((preset for preset in PRESETS if preset.slug == slug), None)
    if preset is None:
        return {}
    board = Board()
    defaults = {field: getattr(board, field) for field in SETTINGS if field not in ("name", "timezone")}
    return defaults | preset.settings


def presets_as_typed() -> list[dict[str, Any]]:
    """Return every preset for the form, with its settings as the texts of the form's fields, as JSON."""
    return [
        {
            "slug": each.slug,
            "title": each.title,
            "purpose": each.purpose,
            "json": json.dumps({name: _field_text(value) for name, value in preset_settings(each.slug).items()}),
        }
        for each in PRESETS
    ]


def _field_text(setting: Any) -> str:
    if isinstance(setting, list):
        return json.dumps(setting)
    return "" if setting is None else str(setting)
