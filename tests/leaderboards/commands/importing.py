"""Importing a table of scores, and what became of its rows: what tests of `import_scores` begin with."""

import csv
from pathlib import Path

from leaderboards.models import Board, Standing
from tests.leaderboards.commands.calls import Printed, run
from tests.leaderboards.factories import BoardFactory


def make_board(**settings: object) -> Board:
    return BoardFactory.create(**{"storage": "sql", **settings})


def import_rows(folder: Path, board: Board, text: str | bytes, *options: str) -> Printed:
    file = folder / "scores.csv"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return run("import_scores", file, "--board", board.seq, "--player", "who", "--points", "points", *options)


def rejected(folder: Path, name: str = "scores.rejected.csv") -> list[dict[str, str]]:
    with (folder / name).open(encoding="utf-8", errors="surrogateescape", newline="") as file:
        return [*csv.DictReader(file)]


def points() -> dict[str, int | None]:
    return {row.player.external_id: row.points for row in Standing.objects.select_related("player")}
