"""Translate what was refused: from a message's template and values, never from its English text."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext

from foundation.messages import Message


def translated(detail: str) -> str:
    """Return a message in the active language, with the messages among its values; another text as it is."""
    if not isinstance(detail, Message):
        return detail
    if not detail.values:
        return gettext(detail.template)
    return gettext(detail.template) % {
        name: translated(value) if isinstance(value, str) else value for name, value in detail.values.items()
    }


def to_json(detail: str) -> str | dict[str, Any]:
    """Return the text as a value of JSON that ``from_json`` reads as the same message."""
    if not isinstance(detail, Message):
        return stored_text(detail)
    values = {name: to_json(value if isinstance(value, str) else str(value)) for name, value in detail.values.items()}
    return {"template": detail.template, "values": values}


def stored_text(text: str) -> str:
    """Return the text without what no database takes: halves of characters, which JSON may send."""
    return text.encode("utf-8", "replace").decode()


def from_json(stored: str | Mapping[str, Any]) -> str:
    """Return the text that ``to_json`` stored."""
    if isinstance(stored, str):
        return stored
    return Message(stored["template"], **{name: from_json(value) for name, value in stored["values"].items()})
