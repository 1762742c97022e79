"""Retrying and dropping dead letters. Each app registers handlers for its kinds of work (``register_handler``).

Code that shows dead letters calls this module and imports none of those apps. The trap: a letter may be of a kind for
which no installed app has a handler; then ``UnknownWorkKind`` is raised.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from foundation.audit import record
from foundation.audit.row_values import subject_kind
from foundation.errors import NotFound
from foundation.models import DeadLetter


class UnknownWorkKind(NotFound):
    """No installed app does work of this kind."""


@dataclass(frozen=True, slots=True)
class DeadLetterHandler:
    """How to retry and drop dead letters of one kind.

    ``retry`` returns why the work still fails, or an empty text; ``drop`` gives the work up. Both raise a
    ``SunwiError`` if they changed nothing. ``dropping`` describes in a sentence what dropping does.
    """

    retry: Callable[[DeadLetter, datetime], str]
    drop: Callable[[DeadLetter, datetime], None]
    dropping: Callable[[], str]


_handlers: dict[str, DeadLetterHandler] = {}


def register_handler(kind: str, handler_for: DeadLetterHandler) -> None:
    """Register the handler of a kind; it replaces an earlier one."""
    _handlers[kind] = handler_for


def handler_for(letter: DeadLetter) -> DeadLetterHandler:
    """The handler for a letter. Raises ``UnknownWorkKind``."""
    if letter.kind not in _handlers:
        raise UnknownWorkKind(f"Nothing that runs here does work of the kind {letter.kind!r}.")
    return _handlers[letter.kind]


def retry(letter: DeadLetter, at: datetime) -> str:
    """Try the work again and record that in the audit log; return why it still fails, or an empty text.

    Raises ``UnknownWorkKind``, or the handler's ``SunwiError``.
    """
    why = handler_for(letter).retry(letter, at)
    record_action("dead_letter.retried", letter, at, {"refused": bool(why)})
    return why


@transaction.atomic
def drop(letter: DeadLetter, at: datetime) -> None:
    """Give the work up and record that in the audit log. Raises as ``retry`` does."""
    handler_for(letter).drop(letter, at)
    record_action("dead_letter.dropped", letter, at)


def record_action(act: str, letter: DeadLetter, at: datetime, note: Mapping[str, object] | None = None) -> None:
    """Record in the audit log what was done with a letter, without its reason and payload."""
    subjects = [(subject_kind(DeadLetter), letter.pk)]
    record(act, at=at, subjects=subjects, note={"kind": letter.kind, **(note or {})})
