"""Reviewing quarantined entries: an accepted entry counts as of its own time; a voided one never counts.

Accepting passes the entry to ``submit``, in the transaction that marks the row, with an id so that it counts once.
The trap: Redis takes part in no transaction. On redis boards a mark is committed first; for a day after that the ids in
Redis tell whether the entry counts. After that it cannot be known, and accepting is refused.
"""

from datetime import datetime, timedelta

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction

from foundation.audit import record
from foundation.audit.models import AuditEntry
from foundation.failpoints import failpoint
from foundation.messages import Message
from foundation.reasons import reason_given
from leaderboards.core.input.entries import Entry
from leaderboards.core.ranking.policies import sent_value
from leaderboards.core.submissions import Caller, Outcome, Status
from leaderboards.errors import (
    Banned,
    OutcomeUnknown,
    PeriodClosed,
    QuarantineDecided,
    QuarantineOutcomeUnknown,
    QuarantineRefused,
    StorageUnavailable,
    UnknownEntry,
)
from leaderboards.models import Decision, Player, QuarantinedEntry, Storage, Submission
from leaderboards.selectors.visibility.restrictions import banned_from
from leaderboards.services import events
from leaderboards.services.submit.counted_ids import find_duplicates_in_redis
from leaderboards.services.submit.pipeline import submit
from leaderboards.stores.sql.writes import submission_state

ACCEPTED, VOIDED, REOPENED = "score.quarantine_accepted", "score.quarantine_voided", "score.quarantine_reopened"
SERVICE = "quarantine"  # the service of entries that came without an id
ID_KNOWN_FOR = timedelta(hours=23)  # an id is kept in Redis for at least a day


def accept(number: int, reason: str, at: datetime, by: AbstractBaseUser | None) -> bool:
    """Accept the entry of this number: it counts as of its own time, in its own period; False if that was done before.

    Raises ``BadReason``, ``UnknownEntry``, ``QuarantineDecided`` (voided), ``Banned``, ``PeriodClosed``,
    ``QuarantineRefused`` (any other refusal of an entry), ``QuarantineOutcomeUnknown``, the refusals of a jury's late
    score, or ``Unavailable``. The entry stays pending then.
    """
    reason = reason_given(reason)
    row = _get(number)
    if row.competition:
        events.source().freeze(row.competition, at)
    is_marked = row.board.storage == Storage.REDIS and _mark(number, at)
    failpoint("quarantine.after_mark")
    try:
        return _accept(number, reason, at, by)
    except (Banned, PeriodClosed, QuarantineRefused):
        if is_marked:
            _unmark(number)
        raise


def void(number: int, reason: str, at: datetime, by: AbstractBaseUser | None) -> bool:
    """Void the entry of this number: it never counts, and its id stays taken. False if it was voided before.

    Raises ``BadReason``, ``UnknownEntry``, or ``QuarantineDecided`` if it counts already.
    """
    reason = reason_given(reason)
    with transaction.atomic():
        row = _lock(number)
        if row.decision == Decision.VOIDED:
            return False
        if row.decision == Decision.ACCEPTED or _counts(row):
            raise QuarantineDecided(
                Message(
                    "It counts already: accept it to have that on record. Then void its score, or set the standing "
                    "where the board keeps no scores."
                )
            )
        _decide(row, Decision.VOIDED, reason, at, by)
        failpoint("quarantine.before_voided")
    return True


def reopen(entry: AuditEntry, *, at: datetime, by: AbstractBaseUser | None, reason: str) -> None:
    """Undo a voiding: the entry is pending again. Raises ``UnknownEntry`` or ``QuarantineDecided``."""
    row = _lock(int(entry.note.get("entry", 0)))  # an erasure empties the note and deletes the entry
    if row.decision != Decision.VOIDED:
        raise QuarantineDecided(Message("It is not void any more: somebody has decided anew."))
    row.decision, row.decided_at, row.decided_by, row.reason = "", None, None, ""
    row.save(update_fields=["decision", "decided_at", "decided_by", "reason"])
    record(REOPENED, at=at, by=by, reason=reason, subjects=_subjects(row), note={"entry": row.pk})


def _accept(number: int, reason: str, at: datetime, by: AbstractBaseUser | None) -> bool:
    with transaction.atomic():
        row = _lock(number)
        if row.decision == Decision.ACCEPTED:
            return False
        if row.decision == Decision.VOIDED:
            raise QuarantineDecided(Message("It was voided: undo that in the audit log first."))
        if not _counts(row):
            _refuse_if_unknown(row, at)
            _refuse_banned(row)
            _apply(row, reason, at, by)
        failpoint("quarantine.after_applied")
        _decide(row, Decision.ACCEPTED, reason, at, by)
        failpoint("quarantine.before_accepted")
    return True


def _refuse_banned(row: QuarantinedEntry) -> None:
    """Raise ``Banned`` by SQL's present state: Redis and a closed competition may not know of a new ban yet."""
    if Player.objects.filter(banned_from(row.board_id, ""), pk=row.player_id).exists():
        raise Banned(Message("This player may not score: lift the ban first, or void the entry."))


def _apply(row: QuarantinedEntry, reason: str, at: datetime, by: AbstractBaseUser | None) -> None:
    [outcome] = submit([_entry(row)], Caller(_service(row), is_trusted=True), at)
    if outcome.status.is_accepted:
        return
    if outcome.code == PeriodClosed.code and row.competition:
        events.source().accept_late(row, reason, at, by)
        return
    raise _refusal(outcome)


def _refusal(outcome: Outcome) -> Exception:
    detail = outcome.detail or ""
    if outcome.status is Status.UNKNOWN:
        return OutcomeUnknown(Message("Whether it counts is not known yet: accept it again in a moment."))
    if outcome.code == StorageUnavailable.code:
        return StorageUnavailable(detail)
    if outcome.code == PeriodClosed.code:
        return PeriodClosed(Message("It cannot count any more, void it: %(why)s", why=detail))
    return QuarantineRefused(Message("It cannot count: %(why)s", why=detail))


def _entry(row: QuarantinedEntry) -> Entry:
    rules = row.period.rules
    state = submission_state(row)
    points, fields = rules.shown(sent_value(state.value, state.operator))
    return Entry(
        position=0,
        board=None if row.competition else row.board_id,
        competition=row.competition or None,
        player=row.player.external_id,
        points=points,
        fields=None if fields is None else tuple(fields.items()),
        at=row.at,
        external_id=row.external_id or str(row.pk),
        operator=state.operator,
        metadata=row.metadata,
    )


def _service(row: QuarantinedEntry) -> str:
    return SERVICE if row.external_id is None else row.service


def _mark(number: int, at: datetime) -> bool:
    """Commit that accepting has begun; False if it had begun before."""
    pending = QuarantinedEntry.objects.filter(pk=number, decision="", accepting_since=None)
    return pending.update(accepting_since=at) > 0


def _refuse_if_unknown(row: QuarantinedEntry, at: datetime) -> None:
    since = row.accepting_since
    if since is not None and at - since > ID_KNOWN_FOR:
        raise QuarantineOutcomeUnknown(
            Message(
                "Accepting it was begun on %(since)s UTC and not finished, and Redis does not know its id any "
                "more: look at the player's standing. If it counts, void this entry; if not, have the score "
                "sent anew.",
                since=f"{since:%Y-%m-%d %H:%M}",
            )
        )


def _unmark(number: int) -> None:
    """Remove the mark, unless another request made the entry count meanwhile."""
    with transaction.atomic():
        row = _lock(number)
        if row.decision == "" and not _counts(row):
            row.accepting_since = None
            row.save(update_fields=["accepting_since"])


def _counts(row: QuarantinedEntry) -> bool:
    """Whether an accepting that has begun made the entry count in Redis. Raises ``StorageUnavailable``."""
    if row.accepting_since is None:
        return False
    found = find_duplicates_in_redis(row.board, [_entry(row)], _service(row))
    if any(each.error is not None for each in found.values()):
        raise StorageUnavailable(Message("Whether it counts cannot be asked now; try again."))
    return bool(found)


def _decide(row: QuarantinedEntry, decision: Decision, reason: str, at: datetime, by: AbstractBaseUser | None) -> None:
    row.decision, row.decided_at, row.reason = decision, at, reason
    row.decided_by_id = by.pk if by else None
    row.save(update_fields=["decision", "decided_at", "decided_by", "reason"])
    act = ACCEPTED if decision == Decision.ACCEPTED else VOIDED
    note = {"entry": row.pk, "rule": row.rule, "score": row.value_text, "happened_at": row.at.isoformat()}
    record(act, at=at, by=by, subjects=[*_subjects(row), *_submission_of(row)], reason=reason, note=note)


def _submission_of(row: QuarantinedEntry) -> list[tuple[str, object]]:
    """The submission of an accepted entry, if the board keeps submissions; undoing the acceptance voids it."""
    if row.decision != Decision.ACCEPTED:
        return []
    rows = Submission.objects.filter(board=row.board_id, player=row.player_id, service=_service(row))
    numbers = rows.filter(external_id=row.external_id or str(row.pk)).values_list("pk", flat=True)
    return [("submission", number) for number in numbers]


def _subjects(row: QuarantinedEntry) -> list[tuple[str, object]]:
    own: list[tuple[str, object]] = [("board", row.board_id), ("player", row.player_id)]
    return [*own, ("competition", row.competition)] if row.competition else own


def _get(number: int) -> QuarantinedEntry:
    found = QuarantinedEntry.objects.select_related("board").filter(pk=number).first()
    if found is None:
        raise _not_found()
    return found


def _lock(number: int) -> QuarantinedEntry:
    """The row with its period, board and player, locked until the transaction ends."""
    rows = QuarantinedEntry.objects.select_for_update(of=("self",)).select_related("period__board", "board", "player")
    found = rows.filter(pk=number).first()
    if found is None:
        raise _not_found()
    return found


def _not_found() -> UnknownEntry:
    return UnknownEntry(Message("There is no such entry any more: its player was erased, or it was decided long ago."))
