"""Requesting a purge of a range of submissions, or its undo; a row records who, when and why.

The worker does the work in small steps (``run_purge.py``), so no request waits for it and no lock is held for long.
"""

from datetime import datetime
from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction
from django.db.models import QuerySet

from foundation.audit import record
from foundation.audit.models import AuditEntry
from foundation.failpoints import failpoint
from foundation.messages import Message
from foundation.reasons import reason_given
from leaderboards.errors import BadPurge
from leaderboards.models import WITHOUT_SUBMISSIONS, Board, Purge, Submission
from leaderboards.selectors.catalog.reserved import refuse_reserved
from leaderboards.selectors.moderation.purges import (
    PurgePreview,
    PurgeRange,
    UnaffectedCounts,
    competitions_of,
    highest_number,
    is_range_committed,
    preview_purge,
    preview_purge_undo,
    purged_by,
    range_of,
    unaffected_by,
    valid_submissions_in,
)
from leaderboards.services import events

PURGED, UNDONE = "submissions.purged", "submissions.purge_undone"


def refuse_bad_range(chosen: PurgeRange, at: datetime) -> None:
    """Raise ``BadPurge`` or ``BoardReserved`` if the range cannot be purged.

    It must name a player, board or service, must end after it begins and not in the future, and must not be of a board
    that keeps no submissions or that an app above writes to.
    """
    if chosen.player is None and chosen.board is None and not chosen.service:
        raise BadPurge(Message("Say whose submissions: name a player, a board or a service key."))
    refuse_bad_times(chosen.from_at, chosen.until_at, at)
    board = Board.objects.filter(pk=chosen.board).first() if chosen.board is not None else None
    if board is not None and board.storage in WITHOUT_SUBMISSIONS:
        raise BadPurge(
            Message(
                "Board %(seq)s keeps no submissions: set or remove standings of its running period instead.",
                seq=board.seq,
            ),
            "board",
        )
    if board is not None:
        refuse_reserved(board)


def refuse_bad_times(from_at: datetime, until_at: datetime, at: datetime) -> None:
    """Raise ``BadPurge`` for a range that ends before it begins, or after ``at``."""
    if until_at <= from_at:
        raise BadPurge(Message("The range ends before it begins."), "until_at")
    if until_at > at:
        raise BadPurge(Message("The range ends in the future: a purge is about what was received."), "until_at")


def checked_purge_preview(chosen: PurgeRange, at: datetime) -> PurgePreview:
    """What purging the range would change. Raises as ``refuse_bad_range``."""
    refuse_bad_range(chosen, at)
    return preview_purge(chosen, _refused(valid_submissions_in(chosen), at))


def purge_undo_preview(purge: Purge, at: datetime) -> PurgePreview:
    """What undoing the purge would change."""
    return preview_purge_undo(purge, _refused(purged_by(purge), at))


def kept_submissions(purge: Purge, at: datetime) -> UnaffectedCounts | None:
    """How many submissions of its range the purge has left valid, by reason; None if counting took too long."""
    return unaffected_by(purge, _refused(valid_submissions_in(range_of(purge)), at))


def _refused(rows: QuerySet[Submission], at: datetime) -> list[int]:
    """The competitions of these submissions that refuse voiding."""
    numbers = competitions_of(rows)
    named = events.source().find_events(numbers, at) if numbers else {}
    return [each for each in numbers if not isinstance(named.get(each), events.Event)]


@transaction.atomic
def request_purge(chosen: PurgeRange, reason: str, at: datetime, by: AbstractBaseUser | None) -> Purge:
    """Record a purge, which the worker carries out. Raises ``BadReason``, ``BadPurge`` or ``BoardReserved``."""
    reason = reason_given(reason)
    refuse_bad_range(chosen, at)
    all_in = is_range_committed(chosen, at)
    number = by.pk if by else None
    purge = Purge.objects.create(
        player_id=chosen.player,
        board_id=chosen.board,
        service=chosen.service,
        from_at=chosen.from_at,
        until_at=chosen.until_at,
        reason=reason,
        by_id=number,
        asked_at=at,
        all_in=all_in,
        highest=highest_number(),  # read after the check for requests under way
    )
    record(PURGED, at=at, by=by, subjects=_subjects(purge), reason=reason, note=_note(purge))
    failpoint("purge.before_commit")
    return purge


def undo_purge(entry: AuditEntry, *, at: datetime, by: AbstractBaseUser | None, reason: str) -> None:
    """Have the worker restore exactly what the purge of this entry voided; a purge that still runs stops.

    Raises ``BadPurge`` if the purge is gone or is being undone.
    """
    purge = Purge.objects.select_for_update(of=("self",)).filter(pk=entry.note.get("purge"), undo_asked_at=None).first()
    if purge is None:
        raise BadPurge(Message("There is no such purge that could be undone."))
    purge.undo_asked_at, purge.undo_by_id, purge.undo_reason = at, by.pk if by else None, reason
    purge.save(update_fields=["undo_asked_at", "undo_by", "undo_reason"])
    record(UNDONE, at=at, by=by, subjects=_subjects(purge), reason=reason, note=_note(purge))


def _subjects(purge: Purge) -> list[tuple[str, object]]:
    found = [("purge", purge.pk), ("player", purge.player_id), ("board", purge.board_id)]
    return [(kind, key) for kind, key in found if key is not None]


def _note(purge: Purge) -> dict[str, Any]:
    return {"purge": purge.pk, "from": purge.from_at, "until": purge.until_at, "service": purge.service}
