"""Importing board settings: all or none, through ``services/board_files.py``; an undo restores all or none."""

from datetime import datetime
from functools import partial
from typing import Any

from django.db import transaction
from django.db.models import ProtectedError

from foundation.messages import Message
from leaderboards.core.input.csv_table import read_boards
from leaderboards.errors import BadBoard
from leaderboards.import_errors import ImportNotUndoable
from leaderboards.models import Board, ImportChunk, ImportRun
from leaderboards.selectors.previews.board_change import BoardChange, board_change, plain_value
from leaderboards.services.board_files import preview_boards, save_boards
from leaderboards.services.boards import SETTINGS, check_board, delete, has_scores, save_board
from leaderboards.services.imports.chunk_results import ChunkResult, Error, Finish
from leaderboards.services.periods.open import open_board

MADE, CHANGED, SAME = "made", "changed", "same"


def preview(run: ImportRun, at: datetime) -> list[BoardChange]:
    """What applying the file would change now. Raises ``BadBoard`` if it cannot be applied."""
    chunk = run.chunks.get()
    return preview_boards(read_boards(bytes(chunk.content)), at) if chunk.content else []


def evaluate(_run: ImportRun, chunk: ImportChunk, at: datetime) -> Finish:
    """Check each board by itself, so that all errors are reported."""
    settings = read_boards(bytes(chunk.content))
    statuses, errors = dict.fromkeys((MADE, CHANGED, SAME, "rejected"), 0), []
    for number, each in enumerate(settings, start=1):
        twins = [other for other in settings if other.get("name") == each.get("name")]
        try:
            change = preview_boards(twins, at)[0]
        except BadBoard as error:
            errors.append(Error(number, error.code, error.detail))
            statuses["rejected"] += 1
        else:
            statuses[_status(change)] += 1
    return partial(ChunkResult, statuses, tuple(errors))


def apply(_run: ImportRun, chunk: ImportChunk, at: datetime) -> Finish:
    """Save the boards, in the transaction that records the chunk."""
    return partial(_apply, chunk, at)


def _apply(chunk: ImportChunk, at: datetime) -> ChunkResult:
    settings = read_boards(bytes(chunk.content))
    changes = preview_boards(settings, at)
    boards = save_boards(settings, at)
    statuses = dict.fromkeys((MADE, CHANGED, SAME), 0)
    before = []
    for change, board in zip(changes, boards, strict=True):
        statuses[_status(change)] += 1
        before.append(_change_record(change, board))
        transaction.on_commit(partial(open_board, board, at))
    ImportRun.objects.filter(pk=chunk.run_id).update(columns={"before": before})
    return ChunkResult(statuses)


def undo(run: ImportRun, at: datetime) -> int:
    """Restore all boards, in the caller's transaction; how many. Raises ``ImportNotUndoable``, or as ``save_board``."""
    changes = run.columns.get("before", [])
    for each in reversed(changes):
        board = Board.objects.select_for_update().filter(pk=each["seq"]).first()
        if board is None:
            raise ImportNotUndoable(Message("Board %(board)s is gone: nothing was set back.", board=each["seq"]))
        _refuse_changed(board, each["after"])
        if each["is_new"]:
            _remove(board, at)
        else:
            _restore(board, each["before"], at)
    return len(changes)


def preview_undo(run: ImportRun, at: datetime) -> list[BoardChange]:
    """What undoing would change now in boards that existed before the import.

    Raises ``ImportNotUndoable`` and ``BadBoard`` as ``undo``; whether new boards can be deleted is not checked here.
    """
    found = []
    for each in run.columns.get("before", []):
        board = Board.objects.filter(pk=each["seq"]).first()
        if board is None:
            raise ImportNotUndoable(Message("Board %(board)s is gone: nothing was set back.", board=each["seq"]))
        _refuse_changed(board, each["after"])
        if each["before"]:
            for name, value in each["before"].items():
                setattr(board, name, value)
            check_board(board)
            found.append(board_change(board, SETTINGS, at))
    return found


def _restore(board: Board, before: dict[str, Any], at: datetime) -> None:
    for name, value in before.items():
        setattr(board, name, value)
    if before:
        save_board(board, at)
        transaction.on_commit(partial(open_board, board, at))


def _remove(board: Board, at: datetime) -> None:
    if has_scores(board):
        raise ImportNotUndoable(
            Message("%(board)s has scores by now: retire it instead. Nothing was set back.", board=board.name)
        )
    try:
        delete(board, at)
    except ProtectedError as error:
        raise ImportNotUndoable(
            Message("%(board)s is in use by now: retire it instead. Nothing was set back.", board=board.name)
        ) from error


def _refuse_changed(board: Board, after: dict[str, Any]) -> None:
    for name, value in after.items():
        if plain_value(getattr(board, name)) != value:
            raise ImportNotUndoable(
                Message(
                    "%(board)s: `%(setting)s` was changed since the import. Nothing was set back.",
                    board=board.name,
                    setting=name,
                )
            )


def _change_record(change: BoardChange, board: Board) -> dict[str, Any]:
    changed = SETTINGS if change.is_new else tuple(each.setting for each in change.changes)
    old = {each.setting: plain_value(each.old) for each in change.changes}
    board = Board.objects.get(pk=board.pk)
    after = {name: plain_value(getattr(board, name)) for name in changed}
    return {"seq": board.pk, "is_new": change.is_new, "before": {} if change.is_new else old, "after": after}


def _status(change: BoardChange) -> str:
    if change.is_new:
        return MADE
    return CHANGED if change.changes else SAME
