"""An import run as text: its state, its progress, its preview and its results."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from django.contrib.admin.utils import label_for_field
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as _lazy
from django.utils.translation import ngettext

from foundation.translate import from_json, translated
from leaderboards.admin.boards.change_preview import change_rows, consequences
from leaderboards.admin.boards.preview_seal import SEAL_FIELD, sealed
from leaderboards.admin.imports.undo_preview import preview_import_undo
from leaderboards.admin.undo.previews import UndoPreview, preview_or_refusal
from leaderboards.errors import BadBoard
from leaderboards.models import ImportedPlayer, ImportKind, ImportRun, Player
from leaderboards.models.imports import Phase
from leaderboards.selectors.previews.board_change import BoardChange
from leaderboards.services.imports import actions, boards

_STATES = {
    Phase.CHECKING: _lazy("is being checked"),
    Phase.READY: _lazy("waits for your confirmation"),
    Phase.APPLYING: _lazy("is being imported"),
    Phase.DONE: _lazy("imported"),
    Phase.UNDOING: _lazy("is being undone"),
    Phase.UNDONE: _lazy("undone"),
}
_STATUSES = {
    "updated": _lazy("rows that make or change a standing"),
    "unchanged": _lazy("rows that count and change no standing"),
    "duplicate": _lazy("rows that count no more: their id was imported before, or stands in this file twice"),
    "rejected": _lazy("are refused"),
    "quarantined": _lazy("wait for a moderator"),
    "new": _lazy("new players"),
    "changed": _lazy("changed"),
    "same": _lazy("the same as before"),
    "made": _lazy("new boards"),
}


def state_of(run: ImportRun) -> str:
    """Return the state of the run in a few words."""
    if _could_not_be_evaluated(run):
        return _("could not be checked")
    if run.phase is Phase.READY and not _is_importable(run):
        return _("refused: nothing of it can be imported")
    if run.phase is Phase.DONE and run.stopped and run.applied < run.rows:
        return _("stopped, nothing was imported") if actions.had_no_effect(run) else _("stopped on the way")
    return str(_STATES[run.phase])


def _errors(run: ImportRun) -> Iterator[tuple[int, str, str]]:
    """Yield row, code and translated reason of each refused row that was kept. An older release kept English alone."""
    messages = run.report.get("messages", {})
    for row, code, detail in run.report.get("errors", []):
        yield row, code, translated(from_json(messages.get(str(row), detail)))


def _stopped(run: ImportRun) -> str:
    """Say why the run was stopped; empty if it was not."""
    message = from_json(run.report.get("stopped", ""))
    return translated(message) if run.stopped and message[: len(run.stopped)] == run.stopped else run.stopped


def run_context(run: ImportRun, at: datetime, *, undoing: bool = False) -> dict[str, Any]:
    """Return the template context of a run; with ``undoing`` also the preview of an undo, which may take a while."""
    changes, refusal = preview_boards(run, at)
    done, total = _progress(run)
    errors = [(_row_in_file(run, row), code, why) for row, code, why in _errors(run)]
    notes = _row_notes(run)
    return {
        "state": state_of(run),
        "is_ready": run.phase is Phase.READY,
        "is_done": run.phase is Phase.DONE,
        "stays": translated(actions.why_not_undoable(run)),
        "stopped": _stopped(run),
        "done": done,
        "whole": max(total, 1),
        "counts": [(_STATUSES.get(name, name), number) for name, number in run.report.get("statuses", {}).items()],
        "errors": errors,
        "header": run.columns.get("header", []),
        "first": [(_row_in_file(run, row), cells, notes.get(row, "")) for row, *cells in run.report.get("first", [])],
        "changes": _player_changes(run),
        "undo_look": _undo_preview(run, at) if undoing else None,
        "foreseen": _preview_lines(run),
        "boards": [
            {"name": each.board.name, "rows": change_rows(each), "consequences": consequences(each)} for each in changes
        ],
        "wrong": "" if refusal in {detail for _row, _code, detail in errors} else refusal,
        "field": SEAL_FIELD,
        "seal": sealed(*changes) if changes else "",
        "can_confirm": _can_confirm(run, refusal),
    }


def _row_notes(run: ImportRun) -> dict[int, str]:
    """Return the notes on single rows by their number."""
    emptying = dict.fromkeys(run.report.get("changes", {}).get("emptied_in", []), _("empties what the player has"))
    return emptying | {row: _("refused") for row, _code, _detail in run.report.get("errors", [])}


def _undo_preview(run: ImportRun, at: datetime) -> UndoPreview:
    """Preview the undo; empty if the run cannot be undone."""
    if run.phase is not Phase.DONE or actions.why_not_undoable(run):
        return UndoPreview()

    def preview() -> UndoPreview:
        lines, changes = preview_import_undo(run, at)
        return UndoPreview(tuple(lines), tuple(changes))

    return preview_or_refusal(preview, sealed=False)


def _player_changes(run: ImportRun) -> list[dict[str, Any]]:
    """List the first changes of players, field by field, with the present values."""
    changes = run.report.get("changes", {}).get("first", [])
    players = {
        each.external_id: each for each in Player.objects.filter(external_id__in=[name for _row, name, _new in changes])
    }
    return [
        {
            "row": _row_in_file(run, row),
            "player": name,
            "field": label_for_field(field, Player),
            "old": getattr(players.get(name), field, ""),
            "new": text,
        }
        for row, name, new in changes
        for field, text in new.items()
    ]


def _row_in_file(run: ImportRun, number: int) -> int:
    """Return the row's number in a spreadsheet, whose row 1 is the header; boards are counted from 1."""
    return number if run.kind == ImportKind.BOARDS else number + 1


def preview_boards(run: ImportRun, at: datetime) -> tuple[list[BoardChange], str]:
    """Preview a waiting import of boards, and return why it is refused, "" if it is not."""
    if run.kind != ImportKind.BOARDS or run.phase is not Phase.READY or run.stopped:
        return [], ""
    try:
        return boards.preview(run, at), ""
    except BadBoard as error:
        return [], translated(error.detail)


def _can_confirm(run: ImportRun, refusal: str) -> bool:
    return run.phase is Phase.READY and _is_importable(run) and not refusal and not run.stopped


def _is_importable(run: ImportRun) -> bool:
    """Return whether enough rows are valid: all of an import of boards, else at least one."""
    return run.refused == 0 if run.kind == ImportKind.BOARDS else run.refused < run.rows


def _could_not_be_evaluated(run: ImportRun) -> bool:
    return run.phase is Phase.READY and bool(run.stopped)


def _progress(run: ImportRun) -> tuple[int, int]:
    """Return (rows done, rows in all) of the current or last step."""
    if run.phase in (Phase.CHECKING, Phase.READY):
        return run.checked, run.rows
    if run.phase in (Phase.APPLYING, Phase.DONE):
        return run.applied, run.rows
    done = run.undone + run.left
    if run.phase is Phase.UNDONE:
        return done, done
    if run.kind == ImportKind.PLAYERS:
        return done, done + ImportedPlayer.objects.filter(run=run).count()
    statuses = run.report.get("statuses", {})
    return done, statuses.get("updated", 0) + statuses.get("unchanged", 0)


def _preview_lines(run: ImportRun) -> list[str]:
    """Describe the effects on ranks and players of a run that waits for its confirmation."""
    if run.phase is not Phase.READY:
        return []
    if number := run.report.get("changes", {}).get("emptying", 0):
        row = ngettext(
            "%(number)s row has an empty cell that empties what the player has: leave out the column to keep it.",
            "%(number)s rows have empty cells that empty what the player has: leave out the column to keep it.",
            number,
        )
        return [row % {"number": f"{number:,}"}]
    effects = run.report.get("foreseen")
    if effects is None:
        return []
    first = ngettext("%(number)s first place moves.", "%(number)s first places move.", effects["first_places"])
    return [
        first % {"number": f"{effects['first_places']:,}"},
        *_rank_lines(effects),
        _("Players who enter a ranking: %(number)s.") % {"number": f"{effects['entering']:,}"},
        _("Players in a ranking already whose standing changes: %(number)s.") % {"number": f"{effects['changed']:,}"},
        _("Periods that it touches: %(number)s.") % {"number": f"{effects['periods']:,}"},
    ]


def _rank_lines(effects: dict[str, Any]) -> list[str]:
    """Describe how many ranks change; empty if it was not computed."""
    number = effects.get("ranks")
    if number is None:
        return []
    if not effects["is_exact"]:
        return [_("Up to %(number)s ranks change.") % {"number": f"{number:,}"}]
    words = ngettext("%(number)s rank changes.", "%(number)s ranks change.", number)
    return [words % {"number": f"{number:,}"}]
