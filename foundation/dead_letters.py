"""What can be done about dead letters: each app says how work of its kinds is tried again or given up
(``register_handler``).

Anybody who shows letters asks here, and imports none of those apps. The trap: a letter may be older than the app that
would know what to do with it; then nobody does, and that is said.
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
    """One kind.

    ``retry`` returns why it still fails, or nothing; ``drop`` gives the work up. Both raise a refusal where they
    changed nothing. ``dropping`` says in a sentence what dropping does, and is looked up when it is shown.
    """

    retry: Callable[[DeadLetter, datetime], str]
    drop: Callable[[DeadLetter, datetime], None]
    dropping: Callable[[], str]


_kinds: dict[str, DeadLetterHandler] = {}


def register_handler(kind: str, handler_for: DeadLetterHandler) -> None:
    """Have letters of this kind retried and dropped so. The latest word about a kind counts."""
    _kinds[kind] = handler_for


def handler_for(letter: DeadLetter) -> DeadLetterHandler:
    """What can be done about a letter. Raises ``UnknownWorkKind``."""
    if letter.kind not in _kinds:
        raise UnknownWorkKind(f"Nothing that runs here does work of the kind {letter.kind!r}.")
    return _kinds[letter.kind]


def retry(letter: DeadLetter, at: datetime) -> str:
    """Try the work again; why it still fails, or nothing. What somebody tried stays on record. Raises as the app
    refuses, or ``UnknownWorkKind``."""
    why = handler_for(letter).retry(letter, at)
    record_action("dead_letter.retried", letter, at, {"refused": bool(why)})
    return why


@transaction.atomic
def drop(letter: DeadLetter, at: datetime) -> None:
    """Give the work up, on record. Raises as the app refuses, or ``UnknownWorkKind``."""
    handler_for(letter).drop(letter, at)
    record_action("dead_letter.dropped", letter, at)


def record_action(act: str, letter: DeadLetter, at: datetime, note: Mapping[str, object] | None = None) -> None:
    """Keep in the audit log what somebody did about a letter; the letter's own words are not repeated there."""
    subjects = [(subject_kind(DeadLetter), letter.pk)]
    record(act, at=at, subjects=subjects, note={"kind": letter.kind, **(note or {})})
