"""What tests of moving here share: tables as text, and what has arrived."""

import csv
from io import StringIO
from pathlib import Path
from typing import Any

from leaderboards.models import Board, Player, Standing
from tests.leaderboards.commands.calls import run
from tests.leaderboards.factories import BoardFactory


def table(text: str) -> list[list[str]]:
    return [*csv.reader(StringIO(text))]


def import_text(folder: Path, text: str, *options: object, **settings: Any) -> dict[str, int | None]:
    file = folder / "theirs.csv"
    file.write_text(text, encoding="utf-8")
    board: Board = BoardFactory.create(**{"storage": "sql"} | settings)
    run("import_scores", file, "--board", board.seq, *options)
    return {row.player.external_id: row.points for row in Standing.objects.select_related("player")}


def names() -> dict[str, str]:
    return dict(Player.objects.values_list("external_id", "name"))
