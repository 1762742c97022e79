"""Writing an entry of the audit log, in the transaction of what it tells: a rollback takes both, a crash neither."""

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

Values = Mapping[str, Any]
Subjects = Iterable[tuple[str, object]]


class PendingUndo(NamedTuple):
    """What is being undone, and why."""

    entry: AuditEntry
    reason: str


_undoing: ContextVar[list[PendingUndo] | None] = ContextVar("audit_undoing", default=None)


def record(  # noqa: PLR0913 (an entry has so many parts, each by name)
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
    """Add an entry. Without ``by`` and ``key`` it is by the one who acts in this thread (``actor.py``).

    ``subjects`` are pairs of a kind and a key, such as ``("board", 3)``. ``before`` and ``after`` hold what JSON, dates
    and decimals can say. Raises ``UnknownAction`` for an act that nobody registered.
    """
    get_action(act)
    acting = actor.current()
    if by is None and key is None:
        by, key = acting.by, acting.key
    undone = _taken()
    entry = AuditEntry(
        at=at,
        act=act,
        by_id=by.pk if by else None,
        by_name=by.get_username() if by else "",
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
    """Within this block the first entry that is recorded undoes ``entry``, with ``reason`` where it has none of its
    own; the list is empty by then."""
    waiting = [PendingUndo(entry, reason)]
    token = _undoing.set(waiting)
    try:
        yield waiting
    finally:
        _undoing.reset(token)


def _taken() -> PendingUndo | None:
    """What is being undone, once."""
    waiting = _undoing.get()
    return waiting.pop() if waiting else None
