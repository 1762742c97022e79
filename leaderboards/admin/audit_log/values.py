"""What an entry of the audit log says, as people read it: who, from what to what, and what else was noted."""

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from django.utils.translation import gettext as _

from foundation.audit.models import AuditEntry
from foundation.audit.row_values import changed_names

LONGEST_SHOWN = 2000  # characters


class FieldDiff(NamedTuple):
    """One field: its name, and what it was and is."""

    name: str
    before: str
    after: str


def actor_name(entry: AuditEntry) -> str:
    """The account by its name, the key, the command, or the schedule."""
    if entry.by_name:
        return entry.by_name
    if entry.key_name:
        return _("service key %(name)s") % {"name": entry.key_name}
    if command := entry.note.get("command"):
        return _("command %(name)s") % {"name": command}
    return _("by itself")


def field_diffs(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[FieldDiff]:
    """Every field that differs."""
    return [
        FieldDiff(name, display_value(before.get(name)), display_value(after.get(name)))
        for name in changed_names(before, after)
    ]


def details(note: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Name and value of each; the command stands with who it was."""
    return [(name, display_value(value)) for name, value in note.items() if name != "command"]


def display_value(value: Any) -> str:
    """A value as text; a dash for none."""
    if value is None or value == "":
        return "–"
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text[:LONGEST_SHOWN]
