"""Files as somebody uploads them, and the schedule's turns until nothing moves."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime

from leaderboards.core.input.entries import read_entry
from leaderboards.core.submissions import Caller
from leaderboards.models import Board, ImportKind, ImportRun, Standing
from leaderboards.services.imports import actions
from leaderboards.services.imports.upload import Upload, upload
from leaderboards.services.imports.worker import advance_due
from leaderboards.services.submit.pipeline import submit

AT = datetime(2026, 11, 18, 12, tzinfo=UTC)


def sent(kind: str, text: str | bytes, board: Board | None = None, at: datetime = AT, **columns: str) -> ImportRun:
    """A file that was uploaded and judged; columns are named as in the form."""
    content = text.encode() if isinstance(text, str) else text
    run = upload(Upload(ImportKind(kind), "file.csv", content, None, board, columns), at)
    return moved(run, at)


def boards_file(*boards: Mapping[str, object]) -> str:
    return json.dumps({"boards": boards})


def moved(run: ImportRun, at: datetime = AT) -> ImportRun:
    """The run once the schedule has done what there is to do."""
    while advance_due(at, 0):
        pass
    return fresh(run)


def fresh(run: ImportRun) -> ImportRun:
    return ImportRun.objects.select_related("board").get(pk=run.pk)


def confirmed(run: ImportRun, at: datetime = AT) -> ImportRun:
    actions.confirm(run.pk, at, None)
    return moved(run, at)


def undone(run: ImportRun, at: datetime = AT) -> ImportRun:
    actions.undo(run.pk, "Wrong file.", at, None)
    return moved(run, at)


def points(board: Board) -> dict[str, int | None]:
    """What everybody has on the board, who is ranked."""
    rows = Standing.objects.filter(period__board=board, score__isnull=False).select_related("player")
    return {row.player.external_id: row.points for row in rows}


def play(board: Board, player: str, worth: int, **more: str) -> None:
    """The player has so many points, not by a file."""
    submit([read_entry({"board": board.seq, "player": player, "points": worth, **more}, 0)], Caller("test"), AT)


def table(*names: str, worth: int = 5) -> str:
    """A file in which everybody has so many points."""
    return "player,points\n" + "".join(f"{name},{worth}\n" for name in names)
