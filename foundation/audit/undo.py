"""Undoing an audit entry once, in a transaction that locks it, with the undo function that its app registered."""

from collections.abc import Collection, Mapping
from contextlib import AbstractContextManager, nullcontext
from datetime import datetime

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction
from django.db.models import QuerySet

from foundation.audit.actions import get_action
from foundation.audit.actor import acting
from foundation.audit.log import record, undoing
from foundation.audit.models import AuditEntry
from foundation.errors import Conflict, NotFound
from foundation.failpoints import failpoint
from foundation.messages import Message
from foundation.reasons import reason_given

UNDONE_BEFORE = Message("This was undone before.")
NO_LONGER_IN_EFFECT = Message("This does not stand any more: it was undone, or changed again since.")
CHANGED_SINCE = Message("It was changed again since: undo the later change first, or change it by hand.")


class NotUndoable(Conflict):
    """The entry cannot be undone, or was undone before."""

    code = "not_undoable"


def undo(number: int, reason: str, at: datetime, by: AbstractBaseUser | None) -> AuditEntry:
    """Undo the entry with this primary key; return the entry that records it.

    Raises ``BadReason``, ``NotFound``, ``NotUndoable``, or an error of the action's undo function; then nothing has
    changed.
    """
    reason = reason_given(reason)
    with transaction.atomic():
        entry = _lock_entry(number)
        action = get_action(entry.act)
        if action.undo is None:
            raise NotUndoable(Message("An act of this kind cannot be undone."))
        with _acting_as(by), undoing(entry, reason) as pending:
            action.undo(entry, at=at, by=by, reason=reason)
        if pending:  # the undo function recorded no entry itself
            subjects = entry.subjects.values_list("kind", "key")
            record("audit.undone", at=at, by=by, reason=reason, subjects=subjects, undoes=entry)
        failpoint("audit.undo.before_commit")
    return AuditEntry.objects.get(undoes=entry)


def refuse_if_superseded(entry: AuditEntry, acts: Collection[str], kinds: Collection[str], **note: object) -> None:
    """Raise ``NotUndoable`` if a later entry of one of ``acts`` (of any action if empty) exists that has the same
    subjects of each of ``kinds`` and these values in its note.

    Every undo function whose subject can change again calls this or ``refuse_if_changed_since``, after it has locked
    the subject's rows.
    """
    if _later_entries(entry, acts, kinds, note).exists():
        raise NotUndoable(NO_LONGER_IN_EFFECT)


def refuse_if_changed_since(
    entry: AuditEntry, acts: Collection[str], kinds: Collection[str], names: Collection[str] = (), **note: object
) -> None:
    """As ``refuse_if_superseded``, but ignore later changes that were undone themselves.

    So a series of changes can be undone from the latest to the earliest. With ``names`` only changes of one of these
    values count. Call this in addition to comparing values: equal values do not show that nobody decided again.
    """
    later = _later_entries(entry, acts, kinds, note).filter(undone_by=None)
    undos = AuditEntry.objects.filter(undoes__pk__gt=entry.pk, undoes__undoes=None)
    later = later.exclude(pk__in=undos.values("pk"))
    if names:
        later = later.filter(before__has_any_keys=list(names))
    if later.exists():
        raise NotUndoable(CHANGED_SINCE)


def _later_entries(
    entry: AuditEntry, acts: Collection[str], kinds: Collection[str], note: Mapping[str, object]
) -> QuerySet[AuditEntry]:
    later = AuditEntry.objects.filter(pk__gt=entry.pk, **{f"note__{key}": note[key] for key in note})
    if acts:
        later = later.filter(act__in=acts)
    for kind in kinds:
        later = later.filter(subjects__kind=kind, subjects__key__in=entry.keys(kind))
    return later


def _acting_as(account: AbstractBaseUser | None) -> AbstractContextManager[object]:
    """Record the entries of this block as done by ``account``, if given."""
    return acting(lambda: account) if account is not None else nullcontext()


def _lock_entry(number: int) -> AuditEntry:
    """Lock the entry until this transaction ends. Raises ``NotFound``, ``NotUndoable``."""
    entry = AuditEntry.objects.select_for_update(of=("self",)).filter(pk=number).first()
    if entry is None:
        raise NotFound(Message("There is no audit entry %(number)s.", number=number))
    if entry.is_undone:
        raise NotUndoable(UNDONE_BEFORE)
    return entry
