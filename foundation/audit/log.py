"""Writing audit entries, in the same transaction as the change they describe."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import datetime
from typing import Any, NamedTuple

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction

from foundation.audit import actor
from foundation.audit.actions import get_action
from foundation.audit.actor import Named
from foundation.audit.models import AuditEntry, AuditSubject
from foundation.users import name_of

Values = Mapping[str, Any]
Subjects = Iterable[tuple[str, object]]


class PendingUndo(NamedTuple):
    """The entry that is being undone, and the reason."""

    entry: AuditEntry
    reason: str


_undoing: ContextVar[list[PendingUndo] | None] = ContextVar("audit_undoing", default=None)


def record(  # noqa: PLR0913 - the parts of an entry, each passed by name
    act: str,
    *,
    at: datetime,
    by: AbstractBaseUser | None = None,
    key: Named | None = None,
    subjects: Subjects = (),
    reason: str = "",
    before: Values | None = None,
    after: Values | None = None,
    undoes: AuditEntry | None = None,
    note: Values | None = None,
) -> AuditEntry:
    """Add an entry. Without ``by`` and ``key`` the current actor is used (``actor.py``).

    ``subjects`` are pairs of a kind and a key, such as ``("board", 3)``. ``before`` and ``after`` may contain JSON
    values, dates and decimals. Raises ``UnknownAction`` if ``act`` is not a registered code.
    """
    get_action(act)
    acting = actor.current()
    if by is None and key is None:
        by, key = acting.by, acting.key
    undone = _take_pending_undo()
    entry = AuditEntry(
        at=at,
        act=act,
        by_id=by.pk if by else None,
        by_name=name_of(by) if by else "",
        key_name=key.name if key else "",
        address=acting.address(),
        reason=reason or (undone.reason if undone else ""),
        before=dict(before or {}),
        after=dict(after or {}),
        note={**acting.note, **(note or {})},
        undoes=undoes or (undone.entry if undone else None),
    )
    with transaction.atomic():
        entry.save(force_insert=True)
        pairs = dict.fromkeys((kind, str(each)) for kind, each in subjects)
        AuditSubject.objects.bulk_create(AuditSubject(entry=entry, kind=kind, key=each) for kind, each in pairs)
    return entry


@contextmanager
def undoing(entry: AuditEntry, reason: str) -> Iterator[list[PendingUndo]]:
    """Link the first entry recorded in this block to ``entry`` as its undo, with ``reason`` if it gives none.

    Yields a list that is empty once such an entry was recorded.
    """
    pending = [PendingUndo(entry, reason)]
    token = _undoing.set(pending)
    try:
        yield pending
    finally:
        _undoing.reset(token)


def _take_pending_undo() -> PendingUndo | None:
    pending = _undoing.get()
    return pending.pop() if pending else None
