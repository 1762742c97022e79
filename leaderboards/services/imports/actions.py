"""Decisions about an import: confirm, discard, undo; each is made once, and recorded."""

from datetime import datetime

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils.translation import gettext_lazy as _

from foundation.audit import record, register_action, register_subject
from foundation.audit.models import AuditEntry
from foundation.messages import Message
from foundation.reasons import reason_given
from leaderboards.import_errors import ImportNotReady, ImportNotUndoable
from leaderboards.models import WITHOUT_SUBMISSIONS, Board, ImportKind, ImportRun, Submission
from leaderboards.models.imports import Phase
from leaderboards.services.imports import boards
from leaderboards.services.imports.score_rows import SERVICE

CONFIRMED, UNDONE = "import.confirmed", "import.undone"
SUBJECT = "import"
_EFFECTIVE_STATUSES = frozenset({"updated", "unchanged", "quarantined", "new", "changed", "made"})


def confirm(number: int, at: datetime, by: AbstractBaseUser | None, *, seen: int | None = None) -> ImportRun:
    """Confirm an evaluated run; the worker then applies it. Raises ``ImportNotReady`` or ``ImportNotUndoable``.

    Rows without a time count as of ``at``. ``seen`` is the ``checks`` of the preview that was shown, or None.
    """
    with transaction.atomic():
        run = _lock(number)
        if run.phase is not Phase.READY:
            raise ImportNotReady(
                Message("It does not wait for confirmation: it is being checked, or somebody has confirmed it.")
            )
        if seen not in (None, run.checks):
            raise ImportNotReady(Message("It was checked again since you looked: look once more, then confirm."))
        if run.stopped:
            raise ImportNotReady(Message("It could not be checked: discard it, correct the file and upload it again."))
        _lock_board(run)  # serializes two of the same file, or an import and an undo
        refuse_while_undoing(run)
        if run.refused == run.rows or (run.kind == ImportKind.BOARDS and run.refused):
            raise ImportNotReady(Message("Nothing of it can be imported: correct the file and upload it again."))
        refuse_duplicate_file(run)
        if ImportRun.objects.filter(started_at=at).exists():
            raise ImportNotReady(Message("Another import was confirmed in this very moment; try again."))
        run.started_at, run.refused, run.by_id = at, 0, by.pk if by else run.by_id
        run.report = {name: run.report[name] for name in ("first", "foreseen") if name in run.report}
        run.save(update_fields=["started_at", "refused", "report", "by"])
        record(CONFIRMED, at=at, by=by, subjects=_subjects(run), note={"file": run.file_name, "rows": run.rows})
    return run


def discard(number: int) -> None:
    """Delete a run that was not confirmed. Raises ``ImportNotReady`` if it was confirmed."""
    with transaction.atomic():
        run = _lock(number)
        if run.phase not in (Phase.CHECKING, Phase.READY):
            raise ImportNotReady(Message("It was confirmed: it can only be undone."))
        run.delete()


def undo(number: int, reason: str, at: datetime, by: AbstractBaseUser | None, *, from_log: bool = False) -> ImportRun:
    """Undo an import: boards at once; scores and players by the worker.

    ``from_log``: the audit log undoes its own entry, and links the two itself. Raises ``BadReason``, ``ImportNotReady``
    if it is not done, was undone, or another import into its board runs, ``ImportNotUndoable``, or as saving a board.
    """
    reason = reason_given(reason)
    with transaction.atomic():
        run = _lock(number)
        if run.phase is not Phase.DONE:
            raise ImportNotReady(Message("It is not done yet, or it was undone before."))
        if why := why_not_undoable(run):
            raise ImportNotUndoable(why)
        _lock_board(run)
        _refuse_while_importing(run)
        run.undo_at, run.undo_by_id = at, by.pk if by else None
        # Only the first undo of an import is linked to the entry that confirmed it.
        confirmed = None if from_log else _entry_of(run)
        record(UNDONE, at=at, by=by, subjects=_subjects(run), reason=reason, undoes=confirmed)
        if run.kind == ImportKind.BOARDS:
            run.undone, run.undone_at = boards.undo(run, at), at
        run.save(update_fields=["undo_at", "undo_by", "undone", "undone_at"])
    return run


def why_not_undoable(run: ImportRun) -> str:
    """Why the import cannot be undone, as far as is known before trying; empty if it can."""
    if had_no_effect(run):
        return Message("It changed nothing: there is nothing to undo.")
    if run.kind == ImportKind.SCORES and run.board is not None and run.board.storage in WITHOUT_SUBMISSIONS:
        return Message("The board keeps no single submissions (redis): an import into it cannot be undone.")
    return ""


def had_no_effect(run: ImportRun) -> bool:
    """Whether a run is done and made or changed nothing.

    A run that was stopped may have scores that are not recorded in it: its submissions are looked up. If the board
    keeps none, the answer is False.
    """
    if run.phase is not Phase.DONE or any(run.report.get("statuses", {}).get(status) for status in _EFFECTIVE_STATUSES):
        return False
    if run.kind != ImportKind.SCORES or not run.stopped:
        return True
    if run.board is None or run.started_at is None or run.board.storage in WITHOUT_SUBMISSIONS:
        return False
    return not submissions_of_run(run).exists()


def submissions_of_run(run: ImportRun) -> QuerySet[Submission]:
    """The submissions that an import of scores made, as far as they still exist."""
    rows = Submission.objects.filter(period__board=run.board, service=SERVICE)
    return rows.none() if run.started_at is None else rows.filter(created_at=run.started_at)


def refuse_duplicate_file(run: ImportRun) -> None:
    """Raise ``ImportNotUndoable`` if the same file was imported into the same board and not undone.

    It would count twice. Imports that had no effect are ignored.
    """
    if run.kind != ImportKind.SCORES:
        return
    same = ImportRun.objects.filter(kind=run.kind, digest=run.digest, board=run.board).exclude(pk=run.pk)
    confirmed = same.exclude(Q(started_at=None)).filter(undo_at=None).select_related("board")
    twin = next((each for each in confirmed if not had_no_effect(each)), None)
    if twin is not None:
        raise ImportNotUndoable(
            Message(
                "The same file was imported into this board before (import %(number)s): undo that first.",
                number=twin.pk,
            )
        )


def refuse_while_undoing(run: ImportRun) -> None:
    """Raise ``ImportNotReady`` while another import into the board is being undone.

    Its ids are not free yet: rows with the same ids would be duplicates of submissions that are void a moment later.
    """
    if run.kind == ImportKind.SCORES and (other := run_being_undone(run.board)):
        raise ImportNotReady(
            Message(
                "Import %(number)s into this board is being undone: wait until it is. Then this file is checked "
                "again, and you can confirm it.",
                number=other.pk,
            )
        )


def _refuse_while_importing(run: ImportRun) -> None:
    """Raise ``ImportNotReady`` while another file is imported into the board.

    Its rows with the same ids would be duplicates of submissions that are void a moment later.
    """
    others = ImportRun.objects.filter(kind=ImportKind.SCORES, board=run.board, done_at=None).exclude(started_at=None)
    if run.kind == ImportKind.SCORES and (other := others.order_by("pk").first()):
        raise ImportNotReady(
            Message(
                "Import %(number)s is being imported into this board: wait until it is done, then undo this one.",
                number=other.pk,
            )
        )


def run_being_undone(board: Board | None) -> ImportRun | None:
    """An import of scores into the board that is being undone, if any."""
    runs = ImportRun.objects.filter(kind=ImportKind.SCORES, board=board, undone_at=None)
    return runs.exclude(undo_at=None).order_by("pk").first()


def register() -> None:
    """Register the actions with the audit log. Calling it twice changes nothing."""
    register_subject(SUBJECT, _("import"), "leaderboards.importrun")
    register_action(CONFIRMED, _("import confirmed"), _undo_entry, needs="leaderboards.view_importrun")
    register_action(UNDONE, _("import undone"))


def _undo_entry(entry: AuditEntry, *, at: datetime, by: AbstractBaseUser | None, reason: str) -> None:
    run = ImportRun.objects.filter(pk=int(entry.subjects.get(kind=SUBJECT).key)).first()
    if run is None:
        raise ImportNotUndoable(Message("The data that undoing needs has been deleted: it is kept for a limited time."))
    if by is not None and not may(by, run.kind):
        raise ImportNotUndoable(Message("You may not undo imports of this kind."))
    undo(run.pk, reason, at, by, from_log=True)


def _entry_of(run: ImportRun) -> AuditEntry | None:
    """The entry that confirmed the run, unless an earlier undo, which was stopped, is linked to it."""
    of_run = AuditEntry.objects.filter(subjects__kind=SUBJECT, subjects__key=str(run.pk))
    return of_run.filter(act=CONFIRMED).exclude(pk__in=of_run.filter(act=UNDONE).values("undoes")).first()


def may(user: AbstractBaseUser, kind: str) -> bool:
    """Whether the account may import this kind, and undo it."""
    return bool(user.has_perm(f"leaderboards.import_{kind}"))  # type: ignore[attr-defined]  # all accounts have permissions


def _lock(number: int) -> ImportRun:
    run = ImportRun.objects.select_for_update(of=("self",)).select_related("board").filter(pk=number).first()
    if run is None:
        raise ImportNotReady(Message("There is no such import any more."))
    return run


def _lock_board(run: ImportRun) -> None:
    if run.board is not None:
        Board.objects.select_for_update().get(pk=run.board.pk)


def _subjects(run: ImportRun) -> list[tuple[str, object]]:
    of_board: list[tuple[str, object]] = [("board", run.board_id)] if run.board_id else []
    return [(SUBJECT, run.pk), *of_board]
