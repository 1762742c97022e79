"""Undoing what an entry tells: once, in one transaction that holds the entry, as the app says whose act it is."""

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
from foundation.reasons import reason_given

UNDONE_BEFORE = "This was undone before."
NO_LONGER_IN_EFFECT = "This does not stand any more: it was undone, or changed again since."
CHANGED_SINCE = "It was changed again since: undo the later change first, or change it by hand."


class NotUndoable(Conflict):
    """The act of this entry cannot be undone, or was undone before."""

    code = "not_undoable"


def undo(number: int, reason: str, at: datetime, by: AbstractBaseUser | None) -> AuditEntry:
    """Undo the entry of this number; returns the entry that tells of it.

    Raises ``BadReason``, ``NotFound``, ``NotUndoable``, or what the act's
    own undo raises. Then nothing has changed.
    """
    reason = reason_given(reason)
    with transaction.atomic():
        entry = _held(number)
        act = get_action(entry.act)
        if act.undo is None:
            raise NotUndoable("An act of this kind cannot be undone.")
        with _by(by), undoing(entry, reason) as waiting:
            act.undo(entry, at=at, by=by, reason=reason)
        if waiting:  # the undo recorded nothing itself
            subjects = entry.subjects.values_list("kind", "key")
            record("audit.undone", at=at, by=by, reason=reason, subjects=subjects, undoes=entry)
        failpoint("audit.undo.before_commit")
    return AuditEntry.objects.get(undoes=entry)


def refuse_if_superseded(entry: AuditEntry, acts: Collection[str], kinds: Collection[str], **note: object) -> None:
    """Raise ``NotUndoable`` where somebody has decided anew: where one of these ``acts`` (any, if there are
    none) was done, later than the entry's own, to the same subjects of each of these ``kinds``, with this in its note.

    An undo holds only while things are as the act of its entry made them. Every undo of something that can be decided
    more than once asks here, or ``refuse_if_changed_since``, once it holds what it is about.
    """
    if _later(entry, acts, kinds, note).exists():
        raise NotUndoable(NO_LONGER_IN_EFFECT)


def refuse_if_changed_since(
    entry: AuditEntry, acts: Collection[str], kinds: Collection[str], names: Collection[str] = (), **note: object
) -> None:
    """Raise ``NotUndoable`` where a later change, as ``refuse_if_superseded`` finds it, was not undone itself: of a
    list of
    changes the latest can be undone one after the other. With ``names`` only changes of one of these values count.

    Ask this beside comparing the values: what they are now does not say whether somebody has decided on them anew.
    """
    later = _later(entry, acts, kinds, note).filter(undone_by=None)
    taken_back = AuditEntry.objects.filter(undoes__pk__gt=entry.pk, undoes__undoes=None)
    later = later.exclude(pk__in=taken_back.values("pk"))
    if names:
        later = later.filter(before__has_any_keys=list(names))
    if later.exists():
        raise NotUndoable(CHANGED_SINCE)


def _later(
    entry: AuditEntry, acts: Collection[str], kinds: Collection[str], note: Mapping[str, object]
) -> QuerySet[AuditEntry]:
    later = AuditEntry.objects.filter(pk__gt=entry.pk, **{f"note__{key}": note[key] for key in note})
    if acts:
        later = later.filter(act__in=acts)
    for kind in kinds:
        later = later.filter(subjects__kind=kind, subjects__key__in=entry.keys(kind))
    return later


def _by(account: AbstractBaseUser | None) -> AbstractContextManager[object]:
    """Whatever is recorded meanwhile is done by the one who undoes."""
    return acting(lambda: account) if account is not None else nullcontext()


def _held(number: int) -> AuditEntry:
    """The entry, held until this transaction ends; the one who waited for it sees what was done meanwhile."""
    entry = AuditEntry.objects.select_for_update(of=("self",)).filter(pk=number).first()
    if entry is None:
        raise NotFound(f"There is no audit entry {number}.")
    if entry.is_undone:
        raise NotUndoable(UNDONE_BEFORE)
    return entry
