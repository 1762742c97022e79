"""Editing the value of a submission, with the old and the new value on record; and undoing that.

The standing is recomputed from all valid submissions. The submission's ``id`` still means the value that the game
server sent, so sending that again is a duplicate (``submit/duplicates.py``). The trap: only the latest edit of a
submission can be undone.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction

from foundation.audit import record
from foundation.audit.models import AuditEntry
from foundation.failpoints import failpoint
from foundation.messages import Message
from foundation.reasons import reason_given
from leaderboards.core.input.entries import Entry, read_value
from leaderboards.core.ranking.policies import StandingState
from leaderboards.errors import NewerEditExists, NotEditable, StandingChanged, SubmissionsDropped
from leaderboards.models import Period, Submission, SubmissionEdit
from leaderboards.selectors.moderation.purges import BASELINE
from leaderboards.services.moderation.void import lock_open_period, recompute_standings
from leaderboards.services.players.profiles import refuse_erased
from leaderboards.stores.sql.locks import LockedStanding, lock_standings
from leaderboards.stores.sql.writes import state_of, submission_state

EDITED, UNDONE = "submission.edited", "submission.edit_undone"


@dataclass(frozen=True, slots=True)
class EditedValue:
    """The new value: ``points``, or ``fields`` on a board with criteria."""

    points: Decimal | int | None = None
    fields: Mapping[str, int] | None = None


def read_edited_value(submission: Submission, edited: EditedValue) -> StandingState:
    """The submission's state after the edit, read by the rules for entries; its time stays.

    Raises ``NotEditable`` (one of a competition, or a baseline), ``BadEntry``, ``BadPoints`` or ``OutOfRange``.
    """
    _refuse_uneditable(submission)
    period, player = submission.period, submission.player.external_id
    fields = None if edited.fields is None else tuple(edited.fields.items())
    stored = submission_state(submission)
    entry = Entry(0, period.board_id, None, player, edited.points, fields, None, None, operator=stored.operator)
    value = read_value(period.rules, entry)
    if period.rules.criteria:
        period.layout.pack(value, stored.at_ms, player)
    return stored._replace(value=value)


@transaction.atomic
def edit_submission(
    submission: Submission, edited: EditedValue, reason: str, at: datetime, by: AbstractBaseUser | None
) -> SubmissionEdit | None:
    """Give a submission of an open period another value; None, with nothing changed, if it has that value already.

    Raises ``BadReason``, ``PeriodClosed``, ``BoardReserved``, ``UnknownPlayer`` (erased), ``SubmissionsDropped`` (the
    submission was deleted), ``StandingChanged`` (somebody edited it since ``submission`` was read), or as
    ``read_edited_value``.
    """
    reason = reason_given(reason)
    value = read_edited_value(submission, edited).value
    period, locked, row = _lock(submission.pk, submission.period_id)
    before = _value(row)
    if before != _value(submission):
        raise StandingChanged(Message("The submission was edited meanwhile: look again."))
    if before == value:
        return None
    entry = record(
        EDITED,
        at=at,
        by=by,
        subjects=_subjects(row),
        reason=reason,
        before={"worth": format_value(period, before)},
        after={"worth": format_value(period, value)},
    )
    edit = SubmissionEdit.objects.create(submission=row, before=list(before), after=list(value), entry=entry.pk, at=at)
    _write(period, row, value, locked, at)
    return edit


def undo_edit(entry: AuditEntry, *, at: datetime, by: AbstractBaseUser | None, reason: str) -> None:
    """Give the submission the value that it had before the edit of this entry.

    Raises ``NewerEditExists``, ``SubmissionsDropped``, ``PeriodClosed``, ``BoardReserved`` or ``UnknownPlayer``.
    """
    edit = SubmissionEdit.objects.filter(entry=entry.pk).first()
    if edit is None:
        raise _dropped()
    number = Submission.objects.filter(pk=edit.submission_id).values_list("period", flat=True).first()
    if number is None:
        raise _dropped()
    with transaction.atomic():
        period, locked, row = _lock(edit.submission_id, number)
        latest = SubmissionEdit.objects.filter(submission=row, undone_at=None).order_by("-pk").first()
        if latest is None or latest.pk != edit.pk:
            raise NewerEditExists(Message("The submission was edited again since: undo the later edit first."))
        SubmissionEdit.objects.filter(pk=edit.pk).update(undone_at=at)
        record(
            UNDONE,
            at=at,
            by=by,
            subjects=_subjects(row),
            reason=reason,
            before={"worth": format_value(period, edit.after)},
            after={"worth": format_value(period, edit.before)},
        )
        _write(period, row, tuple(edit.before), locked, at)


def format_value(period: Period, value: list[int] | tuple[int, ...]) -> str:
    """A value as people write it: 12.50, or kills 3, deaths 1."""
    points, fields = period.rules.shown(tuple(value))
    return str(points) if fields is None else ", ".join(f"{name} {number}" for name, number in fields.items())


def _lock(submission: int, number: int) -> tuple[Period, dict[str, LockedStanding], Submission]:
    """The open period, the locked standing, and the submission as read under that lock."""
    period = lock_open_period(number)
    seen = Submission.objects.select_related("player").filter(pk=submission).first()
    if seen is None:
        raise _dropped()
    locked = lock_standings(period, [seen.player.external_id])
    row = Submission.objects.select_related("player").filter(pk=submission).first()
    if row is None:
        raise _dropped()
    refuse_erased(row.player)
    row.period = period
    _refuse_uneditable(row)  # it may have been compacted meanwhile
    return period, locked, row


def _write(
    period: Period, row: Submission, value: tuple[int, ...], locked: dict[str, LockedStanding], at: datetime
) -> None:
    columns: dict[str, Any] = {"fields": list(value)} if period.rules.criteria else {"points": value[0]}
    Submission.objects.filter(pk=row.pk).update(**columns)
    recompute_standings(period, locked, at)
    failpoint("edit.before_commit")


def _refuse_uneditable(submission: Submission) -> None:
    if submission.competition:
        raise NotEditable(
            Message(
                "A score of a competition is not edited: void it, and accept the right one as a late score once "
                "the competition is closed."
            )
        )
    if submission.service == BASELINE:
        raise NotEditable(
            Message("This row sums up submissions that are not kept any more: no single value can be changed.")
        )


def _subjects(row: Submission) -> list[tuple[str, object]]:
    return [("submission", row.pk), ("player", row.player_id), ("board", row.board_id)]


def _value(row: Submission) -> tuple[int, ...]:
    return state_of(row.points, row.fields, row.at).value


def _dropped() -> SubmissionsDropped:
    return SubmissionsDropped(Message("The submission was not kept: it can not be edited any more."))
