"""An import that a signal or a full disk stops says what counts, and commands say that their output is not whole."""

import errno
import os
import signal
from collections.abc import Iterator
from io import FileIO, StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from foundation.models import AuditEntry
from leaderboards.core.input.csv_table import CsvRow
from leaderboards.core.submissions import Outcome
from leaderboards.management import stopping, tables
from leaderboards.management.command import Command
from leaderboards.management.commands import import_scores
from leaderboards.models import Board
from leaderboards.services.imports.score_rows import import_batch
from leaderboards.services.periods.close import Closed, close_period
from tests.leaderboards.commands.importing import make_board, points, rejected
from tests.leaderboards.commands.test_import_ends import stopped

BATCH = 2
EIGHT = "who,points\n" + "".join(f"p{number},{number}\n" for number in range(1, 9))
HALF_BAD = "who,points\n" + "".join(f"p{number},{number if number % 2 else 'x'}\n" for number in range(1, 9))


@pytest.fixture(autouse=True)
def _of_small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(import_scores, "BATCH", BATCH)


@pytest.fixture(autouse=True)
def _no_signal_is_lost() -> Iterator[None]:
    before = {each: signal.getsignal(each) for each in stopping.ENDING}
    yield
    assert {each: signal.getsignal(each) for each in stopping.ENDING} == before


@pytest.fixture
def board() -> Board:
    return make_board(update="increment")


def signals_in_batch(monkeypatch: pytest.MonkeyPatch, nth: int, *numbers: int) -> None:
    """Send the signals when the batch ``nth`` has been submitted, and is not counted yet."""
    left = [nth]

    def submit(lines: list[CsvRow], *more: Any) -> list[Outcome]:
        outcomes = import_batch(lines, *more)
        left[0] -= 1
        if not left[0]:
            for number in numbers:
                os.kill(os.getpid(), number)
        return outcomes

    monkeypatch.setattr(import_scores, "import_batch", submit)


class FullDisk(FileIO):
    """Takes so many bytes of all files, and then none."""

    room = 0

    def write(self, content: Any, /) -> int:
        if not FullDisk.room:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        written = super().write(bytes(content)[: FullDisk.room])
        FullDisk.room -= written
        return written


def disk_of(room: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(FullDisk, "room", room)
    monkeypatch.setattr(tables, "FileIO", FullDisk)


@pytest.mark.django_db
@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_a_signal_stops_after_the_rows_under_way_and_all_that_count_are_told(
    tmp_path: Path, board: Board, monkeypatch: pytest.MonkeyPatch, number: signal.Signals, status: int
) -> None:
    (tmp_path / "scores.csv").write_text(EIGHT)
    signals_in_batch(monkeypatch, 2, number)

    out, err, exit_status = stopped(tmp_path, board)

    assert exit_status == status
    assert points() == {"p1": 1, "p2": 2, "p3": 3, "p4": 4}
    assert out.startswith("rows: 4\naccepted: 4 ")
    assert "It stopped after row 4" in err
    assert "Cut those 4 out below the header" in err
    assert "may count too" not in err
    assert f"stopped by {number.name}" in err
    assert AuditEntry.objects.get(act="scores.imported").note["rows"] == 4


@pytest.mark.django_db
def test_a_second_signal_does_not_wait_for_the_rows_under_way(
    tmp_path: Path, board: Board, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "scores.csv").write_text(EIGHT)
    signals_in_batch(monkeypatch, 1, signal.SIGINT, signal.SIGINT)

    out, err, status = stopped(tmp_path, board, "--id", "row")

    assert status == 130
    assert out.startswith("rows: 0\n")
    assert "Of the 2 rows behind them some may count too. Run it again with the same options" in err
    assert AuditEntry.objects.get(act="scores.imported").note["rows"] == 0


@pytest.mark.django_db
def test_a_backfill_that_is_stopped_while_it_closes_says_that_its_rows_are_through(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def close(*about: Any) -> Closed:
        os.kill(os.getpid(), signal.SIGTERM)
        return close_period(*about)

    monkeypatch.setattr("leaderboards.services.imports.score_rows.close_period", close)
    (tmp_path / "scores.csv").write_text("who,points,at\nann,1,2024-03-01\nbob,2,2024-03-11\n")

    out, err, status = stopped(tmp_path, make_board(), "--at", "at", "--backfill")

    assert status == 143
    assert "periods: 2 (1 closed)" in out
    assert "All 2 rows are through" in err
    assert "Cut" not in err


@pytest.mark.django_db
@pytest.mark.parametrize(("room", "kept"), [(0, None), (60, None), (260, ["2", "4"])])
def test_a_disk_that_fills_while_rejected_rows_are_written_names_those_that_it_lacks(
    tmp_path: Path, board: Board, monkeypatch: pytest.MonkeyPatch, room: int, kept: list[str] | None
) -> None:
    (tmp_path / "scores.csv").write_text(HALF_BAD)
    disk_of(room, monkeypatch)

    out, err, status = stopped(tmp_path, board)

    through = 2 * len(kept or []) + 2
    assert status == 1
    assert out.startswith(f"rows: {through}\naccepted: {through // 2} ")
    assert f"It stopped after row {through}" in err
    assert f"These rejected rows are not in it: {through}." in err
    assert "No space left on device" in err
    assert (tmp_path / "scores.rejected.csv").exists() == bool(kept)
    assert kept is None or [row["row"] for row in rejected(tmp_path)] == kept
    assert len(points()) == through // 2
    assert AuditEntry.objects.get(act="scores.imported").note["rows"] == through


@pytest.mark.django_db
def test_an_export_onto_a_full_disk_fails_with_a_sentence(board: Board) -> None:
    lines = "No space left on device. What the command printed or wrote is not whole"
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        with pytest.raises(CommandError, match=lines):
            call_command("export_standings", "--board", str(board.seq), stdout=full)
        os.dup2(os.open(os.devnull, os.O_WRONLY), full.fileno())  # closing it would fail once more


class Struck(Command):
    """A command in whose midst somebody sends TERM."""

    requires_system_checks = ()

    def handle(self, *_args: Any, **_options: Any) -> None:
        os.kill(os.getpid(), signal.SIGTERM)


def test_any_command_that_is_stopped_says_so_and_exits_as_shells_expect() -> None:
    err = StringIO()

    with pytest.raises(SystemExit) as exit_:
        Struck(stderr=err).run_from_argv(["manage.py", "struck"])

    assert exit_.value.code == 143
    assert "It was stopped by SIGTERM before its end: what it printed or wrote is not whole." in err.getvalue()


def test_a_signal_that_is_ignored_stays_so() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with stopping.raised():
            os.kill(os.getpid(), signal.SIGHUP)
    finally:
        signal.signal(signal.SIGHUP, before)
