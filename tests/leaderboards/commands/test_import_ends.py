"""How an import ends: what it tells of rows that count, of rejected rows, and of a file that was imported before."""

from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import DatabaseError

from foundation.models import AuditEntry
from leaderboards.core.input.csv_table import CsvRow
from leaderboards.core.submissions import Outcome
from leaderboards.management.commands import import_scores
from leaderboards.models import Board
from leaderboards.services.imports.score_rows import import_batch
from tests.leaderboards.commands.importing import import_rows, make_board, points, rejected

pytestmark = pytest.mark.django_db

BATCH = 3
OPEN_QUOTE = 'who,points\nann,1\nbob,x\ncho,3\ndan,4\n"eve,5\nfay,6\n'


@pytest.fixture(autouse=True)
def _of_small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(import_scores, "BATCH", BATCH)


def stopped(folder: Path, board: Board, *options: str) -> tuple[str, str, int]:
    """Output, errors and exit status of an import of scores.csv that stops."""
    out, err = StringIO(), StringIO()
    columns = ("--board", str(board.seq), "--player", "who", "--points", "points")
    with pytest.raises(CommandError) as error:
        call_command("import_scores", str(folder / "scores.csv"), *columns, *options, stdout=out, stderr=err)
    return out.getvalue(), err.getvalue() + str(error.value), error.value.returncode


@pytest.mark.parametrize(
    ("options", "advice"),
    [
        ((), "Cut those 3 out below the header"),
        (("--id", "row"), "leave its name and its first rows as they are, and run it again"),
        (("--id", "who"), "run it again with the same options: by their ids those do not count again"),
    ],
)
def test_a_file_that_breaks_off_tells_which_rows_count_and_how_to_go_on(
    tmp_path: Path, options: tuple[str, ...], advice: str
) -> None:
    board = make_board(update="increment")
    (tmp_path / "scores.csv").write_text(OPEN_QUOTE)

    out, err, status = stopped(tmp_path, board, *options)

    assert points() == {"ann": 1, "cho": 3}
    assert out.startswith("rows: 3\naccepted: 2 (2 updated, 0 unchanged, 0 duplicate)\nrejected: 1\n")
    assert "scores.rejected.csv" in out
    assert "It stopped after row 3: the rows up to there are as told above, and count already." in err
    assert advice in err
    assert "row 5 is no CSV" in err
    assert "may count too" not in err
    assert status == 1
    assert AuditEntry.objects.get(act="scores.imported").note["rows"] == 3


def test_a_mended_file_is_run_again_and_each_row_counts_once(tmp_path: Path) -> None:
    board = make_board(update="increment")
    (tmp_path / "scores.csv").write_text(OPEN_QUOTE)
    stopped(tmp_path, board, "--id", "row")

    printed = import_rows(tmp_path, board, OPEN_QUOTE.replace('"', "").replace("x", "2"), "--id", "row")

    assert points() == {"ann": 1, "bob": 2, "cho": 3, "dan": 4, "eve": 5, "fay": 6}
    assert (printed.status, printed.err) == (0, "")


def test_a_file_whose_first_rows_break_it_says_nothing_of_rows_that_count(tmp_path: Path) -> None:
    (tmp_path / "scores.csv").write_text('who,points\n"ann,1\n')

    out, err, status = stopped(tmp_path, make_board())

    assert (out, status) == ("", 1)
    assert "count already" not in err


def test_a_database_that_goes_away_meanwhile_is_a_stop_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def go_away(lines: list[CsvRow], *more: Any) -> list[Outcome]:
        if len(lines) < BATCH:
            raise DatabaseError("gone")
        return import_batch(lines, *more)

    monkeypatch.setattr(import_scores, "import_batch", go_away)
    (tmp_path / "scores.csv").write_text("who,points\nann,1\nbob,2\ncho,3\ndan,4\n")

    out, err, _ = stopped(tmp_path, make_board())

    assert "accepted: 3" in out
    assert "It stopped after row 3" in err
    assert "Of the 3 rows behind them some may count too." in err
    assert "The database did not do it (gone)" in err


def test_rejected_rows_have_an_exit_status_and_a_new_file_beside_those_that_are_being_mended(tmp_path: Path) -> None:
    board, text = make_board(), "who,points\nann,1\nbob,x\n"

    first, second, third = (import_rows(tmp_path, board, text, "--id", "row") for _ in range(3))

    assert [first.status, second.status, third.status] == [3, 3, 3]
    assert "1 of 2 rows were rejected, and the others imported" in first.err
    assert "stays" not in first.out
    assert "scores.rejected-2.csv (scores.rejected.csv was there already, and stays)" in second.out
    files = ("scores.rejected.csv", "scores.rejected-2.csv", "scores.rejected-3.csv")
    assert [[row["who"] for row in rejected(tmp_path, file)] for file in files] == [["bob"]] * 3


@pytest.mark.parametrize(("by", "why"), [("row", "give it another name"), ("who", "all their ids had counted")])
def test_a_file_of_nothing_but_duplicates_says_why(tmp_path: Path, by: str, why: str) -> None:
    board, text = make_board(), "who,points\nann,1\nbob,2\n"
    folders = tmp_path / "a", tmp_path / "b"
    for folder in folders:
        folder.mkdir()

    first, second = (import_rows(folder, board, text, "--id", by) for folder in folders)

    assert (first.err, first.status, second.status) == ("", 0, 0)
    assert "Every row is a duplicate" in second.err
    assert why in second.err
