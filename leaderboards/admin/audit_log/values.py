"""An audit entry as text: the actor, the changed fields, and the notes."""

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from django.utils.translation import gettext as _

from foundation.audit.models import AuditEntry
from foundation.audit.row_values import changed_names

LONGEST_SHOWN = 2000  # characters


class FieldDiff(NamedTuple):
    """A changed field: its name, its old and its new value."""

    name: str
    before: str
    after: str


def actor_name(entry: AuditEntry) -> str:
    """Return the account's name, the key, the command, or "by itself" for the schedule."""
    if entry.by_name:
        return entry.by_name
    if entry.key_name:
        return _("service key %(name)s") % {"name": entry.key_name}
    if command := entry.note.get("command"):
        return _("command %(name)s") % {"name": command}
    return _("by itself")


def field_diffs(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[FieldDiff]:
    """Return every field that differs."""
    return [
        FieldDiff(name, display_value(before.get(name)), display_value(after.get(name)))
        for name in changed_names(before, after)
    ]


def details(note: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the notes as (name, value), without the command, which ``actor_name`` shows."""
    return [(name, display_value(value)) for name, value in note.items() if name != "command"]


def display_value(value: Any) -> str:
    """Format a value, cut at ``LONGEST_SHOWN`` characters; a dash for an empty one."""
    if value is None or value == "":
        return "–"
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text[:LONGEST_SHOWN]
