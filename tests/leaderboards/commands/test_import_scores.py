"""Importing tables as they come: strange names, missing cells, ids that were used, times of all kinds."""

import csv
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.management.base import CommandError

from foundation import clock
from leaderboards.core.input.csv_table import CsvRow
from leaderboards.core.input.entries import read_entry
from leaderboards.core.submissions import Caller, Outcome, Status
from leaderboards.errors import OutcomeUnknown
from leaderboards.models import Board, Period, Player, Standing, Submission
from leaderboards.services.imports import score_rows
from leaderboards.services.imports.score_rows import Columns, ScoreImport, import_batch
from leaderboards.services.periods.close import close_due
from leaderboards.services.submit.pipeline import backfill, submit
from tests.leaderboards.commands.calls import run
from tests.leaderboards.commands.importing import import_rows, make_board, points, rejected
from tests.playing import score

pytestmark = pytest.mark.django_db

WEEK = "2024-09"  # of the first of March


def test_good_rows_count_and_bad_ones_go_to_a_file_with_their_reason(tmp_path: Path) -> None:
    text = f'who,points\nalice,5\n"a,b",6\nc/d,7\n{"x" * 65},8\nbob,NaN\ncarol,-1\n,3\ndave,9\nalice,5,6\nbob\n'

    printed = import_rows(tmp_path, make_board(), text)

    assert points() == {"alice": 5, "dave": 9}
    assert "rows: 10" in printed.out
    assert "accepted: 2 (2 updated, 0 unchanged, 0 duplicate)" in printed.out
    assert "  bad_player: 4, first in row 2: `player` contains `/` or `,`" in printed.out
    assert [(row["row"], row["code"]) for row in rejected(tmp_path)] == [
        *(("2", "bad_player"), ("3", "bad_player"), ("4", "bad_player"), ("5", "bad_points")),
        *(("6", "out_of_range"), ("7", "bad_player"), ("9", "bad_entry"), ("10", "bad_entry")),
    ]
    assert rejected(tmp_path)[0]["who"] == "a,b"
    assert "65 characters" in rejected(tmp_path)[2]["detail"]


def test_a_pipe_is_imported_to_its_end(tmp_path: Path) -> None:
    """`… | import_scores /dev/stdin`: a pipe cannot tell how much of it was read."""
    out, into = os.pipe()
    with os.fdopen(into, "wb") as pipe:
        pipe.write(b"who,points\nalice,5\nbob,6\n")
    board = make_board()

    try:
        columns = ("--player", "who", "--points", "points")
        printed = run("import_scores", f"/dev/fd/{out}", "--board", board.seq, *columns)
    finally:
        os.close(out)

    assert points() == {"alice": 5, "bob": 6}
    assert "accepted: 2" in printed.out


def test_what_is_no_utf8_and_a_separator_inside_a_name_spoil_their_own_row_only(tmp_path: Path) -> None:
    text = b'\xef\xbb\xbfwho,points\nal\xffice,5\nbob,6\nal\xe2\x80\xa8ice,5\n"bo\nb",6\ncarol,7\n'

    import_rows(tmp_path, make_board(), text)

    assert points() == {"bob": 6, "carol": 7}
    assert [(row["row"], row["who"]) for row in rejected(tmp_path)] == [
        *(("1", "al\udcffice"), ("3", "al\u2028ice"), ("4", "bo\nb")),
    ]
    assert b"al\xffice" in (tmp_path / "scores.rejected.csv").read_bytes()


def test_a_bare_date_is_the_days_first_moment_on_the_board(tmp_path: Path) -> None:
    board = make_board(period="day", timezone="Asia/Seoul", cutoff="04:30")
    text = "who,points,day\nalice,5,2025-06-01\na,1,2025-02-30\nb,2,yesterday\nc,3,\n"

    import_rows(tmp_path, board, text, "--at", "day", "--backfill")

    submission = Submission.objects.get()
    assert (submission.at.isoformat(), submission.period.label) == ("2025-05-31T19:30:00+00:00", "2025-06-01")
    assert [row["code"] for row in rejected(tmp_path)] == ["bad_time"] * 3


def test_the_past_is_closed_but_for_a_backfill_which_leaves_the_running_period_open(tmp_path: Path) -> None:
    board, now = make_board(), clock.now()
    text = "who,points,at\n" + "".join(f"a,1,{at.isoformat()}\n" for at in (now, now - timedelta(days=8)))
    states = Period.objects.filter(board=board, standings__isnull=False).order_by("starts_at")

    printed = import_rows(tmp_path, board, text, "--at", "at")
    at_first = [period.state for period in states.all()]
    import_rows(tmp_path, board, text, "--at", "at", "--backfill")

    assert "period_closed: 1" in printed.out
    assert (at_first, [period.state for period in states.all()]) == (["open"], ["final", "open"])
    # The schedule leaves a period alone while it is backfilled.
    score(board.seq, {"a": 1}, datetime(2024, 3, 1, 12, tzinfo=UTC))
    assert close_due(clock.now()) == []
    later = {closed.label: closed.final for closed in close_due(clock.now() + timedelta(hours=2))}
    assert later[WEEK]


def test_a_backfill_keeps_its_periods_open_while_it_gives_signs_of_life_and_a_dead_one_does_not() -> None:
    board, now, hour = make_board(), clock.now(), timedelta(hours=1)
    other = make_board(name="Another")
    job, day = ScoreImport(board, Columns("who", None, "1", at="at"), "scores", backfilled=True), "2024-03-01"

    found, closed = [], []
    for nth in range(4):
        at = now + nth * 0.8 * hour
        found += import_batch([CsvRow(nth, {"who": f"p{nth}", "at": day})], job, at)
        backfill(
            [read_entry({"board": other.seq, "player": f"p{nth}", "points": 1, "at": f"{day}T12:00:00Z"}, 0)],
            Caller("tests"),
            at,
        )
        closed.append([each.board for each in close_due(at) if each.label == WEEK])
    runs = [close_due(at + step * hour) for step in (0.9, 1.1)]
    after = [[each.board for each in run if each.label == WEEK] for run in runs]

    assert [outcome.code for outcome in found] == [None] * 4
    assert closed == [[], [], [other.seq], []]
    assert after == [[], [board.seq]]


def test_an_id_makes_a_row_count_once_and_a_row_that_was_changed_is_refused(tmp_path: Path) -> None:
    board = make_board(update="increment")
    text = "who,points,match\nalice,5,m1\nalice,5,m1\nalice,6,m1\nbob,2,m2\n"

    by_column = import_rows(tmp_path, board, text, "--id", "match")
    import_rows(tmp_path, board, "who,points\ncarol,5\n", "--id", "row")
    by_row = import_rows(tmp_path, board, "who,points\ncarol,50\ndave,1\n", "--id", "row")

    assert points() == {"alice": 5, "bob": 2, "carol": 5, "dave": 1}
    assert "1 duplicate" in by_column.out
    assert "id_reused: 1" in by_column.out
    assert "id_reused: 1" in by_row.out


def test_what_can_not_be_what_was_meant_is_refused(tmp_path: Path) -> None:
    board = make_board()
    several = make_board(criteria=[{"name": "stage", "max": 100, "order": "desc"}])
    good = "who,points\nalice,5\n"
    refused: list[tuple[str, Board, str, tuple[str, ...]]] = [
        ("is empty", board, "", ()),
        ("no rows", board, "who,points\n", ()),
        ("twice", board, "who,points,who\n1,2,3\n", ()),
        ("no column 'who'; it has name, points", board, "name,points\nalice,5\n", ()),
        ("--at: scores.csv has no column 'when'", board, good, ("--at", "when")),
        ("ranks by criteria: give --field stage=COLUMN", several, good, ()),
        ("ranks by points: give --points", board, good, ("--field", "stage=points")),
    ]

    for said, where, text, options in refused:
        with pytest.raises(CommandError, match=said):
            import_rows(tmp_path, where, text, *options)
    with pytest.raises(CommandError, match="No such file"):
        run("import_scores", tmp_path / "none.csv", "--board", board.seq, "--player", "a", "--points", "1")
    assert not Standing.objects.exists()


def test_operators_and_metadata_come_from_their_columns(tmp_path: Path) -> None:
    board = make_board(update="increment", operators=["set", "decrement"])
    text = (
        "who,points,does,more\n"
        'ann,5,,"{""car"": ""red""}"\nann,2,decrement,\nbob,5,,\nbob,9,set,"{""n"": 1.50}"\n'
        'cho,1,best,\ndan,1,,{car}\neve,1,,[]\nfay,1,,"{""x"": 1}"\n'
    )

    import_rows(tmp_path, board, text, "--operator", "does", "--metadata", "more")

    assert points() == {"ann": 3, "bob": 9, "fay": 1}
    metadata = dict(Standing.objects.values_list("player__external_id", "metadata"))
    assert metadata == {"ann": None, "bob": '{"n":1.50}', "fay": '{"x":1}'}
    assert [(row["who"], row["code"]) for row in rejected(tmp_path)] == [
        *(("cho", "bad_entry"), ("dan", "bad_entry"), ("eve", "bad_entry")),
    ]


@pytest.mark.parametrize(("name", "mark"), [("tab", "\t"), ("semicolon", ";"), ("comma", ",")])
def test_cells_are_between_the_delimiter_that_is_named(tmp_path: Path, name: str, mark: str) -> None:
    rows = [["who", "points", "more"], ["alice", "5", "a,b;c\td"], ["bo b", "6", ""], ["carol", "x", 'say "hi"']]
    file = tmp_path / "scores.csv"
    with file.open("w", newline="") as written:
        csv.writer(written, delimiter=mark).writerows([*rows, ["dave", "1"]])

    import_rows(tmp_path, make_board(), file.read_bytes(), "--delimiter", name)

    assert points() == {"alice": 5, "bo b": 6}
    with (tmp_path / "scores.rejected.csv").open(newline="") as refused:
        header, *left = csv.reader(refused, delimiter=mark)
    assert header == ["who", "points", "more", "row", "code", "detail"]
    assert [row[:5] for row in left] == [
        ["carol", "x", 'say "hi"', "3", "bad_points"],
        ["dave", "1", "", "4", "bad_entry"],
    ]


@pytest.mark.parametrize(("name", "mark"), [("tab", "\t"), ("semicolon", ";")])
def test_another_delimiter_is_told_before_the_first_row(tmp_path: Path, name: str, mark: str) -> None:
    with pytest.raises(
        CommandError, match=f"--player: scores.csv has one column as it is read: try --delimiter {name}"
    ):
        import_rows(tmp_path, make_board(), f"who{mark}points\nalice{mark}5\n")
    with pytest.raises(CommandError, match="try --delimiter comma"):
        import_rows(tmp_path, make_board(name="Another"), "who,points\nalice,5\n", "--delimiter", name)
    with pytest.raises(CommandError, match="invalid choice"):
        import_rows(tmp_path, make_board(name="Third"), "who,points\nalice,5\n", "--delimiter", mark)
    assert not Player.objects.exists()


def test_rows_whose_outcome_is_unknown_count_once_also_by_the_file_of_rejected_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    board = make_board(update="increment")

    def break_off(*args: Any, **options: Any) -> list[Outcome]:
        """It counts, and nobody learns of it."""
        code, detail = OutcomeUnknown.code, "Nobody knows."
        found = submit(*args, **options)
        return [outcome._replace(status=Status.REJECTED, code=code, detail=detail) for outcome in found]

    with monkeypatch.context() as broken:
        broken.setattr(score_rows, "submit", break_off)
        printed = import_rows(tmp_path, board, "who,points\nann,10\nbob,10\n", "--id", "row")
    again = (tmp_path / "scores.rejected.csv").read_bytes()
    (tmp_path / "again").mkdir()
    second = import_rows(tmp_path / "again", board, again, "--id", "row")

    assert "2 of the rejected rows were not decided. Run the same file again" in printed.out
    assert points() == {"ann": 10, "bob": 10}
    assert "accepted: 2 (0 updated, 0 unchanged, 2 duplicate)" in second.out
    assert [row["row"] for row in rejected(tmp_path)] == ["scores:1", "scores:2"]


def test_surplus_cells_stay_so_that_the_row_is_refused_until_it_is_mended(tmp_path: Path) -> None:
    board = make_board()
    import_rows(tmp_path, board, "who,points\np18,1,5\n", "--id", "row")
    refused = (tmp_path / "scores.rejected.csv").read_bytes()
    import_rows(tmp_path, board, refused, "--id", "row")

    header, row = csv.reader((tmp_path / "scores.rejected-2.csv").read_text().splitlines())
    assert points() == {}
    assert header == ["who", "points", "row", "code", "detail"]
    assert [*row[:4], row[-1]] == ["p18", "1", "scores:1", "bad_entry", "5"]
