"""Importing tables as they come: strange names, missing cells, ids that were used, times of all kinds."""

import csv
from datetime import timedelta
from pathlib import Path

import pytest
from django.core.management.base import CommandError

from foundation import clock
from leaderboards.core.entries import read_entry
from leaderboards.core.submissions import Caller
from leaderboards.models import Board, Period, Standing, Submission
from leaderboards.services.boards import apply_boards
from leaderboards.services.close import close_due
from leaderboards.services.submit import backfill
from tests.leaderboards.commands.calls import Printed, run

pytestmark = pytest.mark.django_db(transaction=True)


def make_board(**settings: object) -> Board:
    name = "Imported"
    apply_boards([{"name": name, "storage": "sql", **settings}], clock.now())
    return Board.objects.get(name=name)


def import_rows(folder: Path, board: Board, text: str | bytes, *options: str) -> Printed:
    file = folder / "scores.csv"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return run("import_scores", file, "--board", board.seq, "--player", "who", "--points", "points", *options)


def rejected(folder: Path) -> list[dict[str, str]]:
    with (folder / "scores.rejected.csv").open(encoding="utf-8", errors="surrogateescape", newline="") as file:
        return [*csv.DictReader(file)]


def points() -> dict[str, int | None]:
    return {row.player.external_id: row.points for row in Standing.objects.select_related("player")}


def test_good_rows_count_and_bad_ones_go_to_a_file_with_their_reason(tmp_path: Path) -> None:
    board = make_board()
    text = f'who,points\nalice,5\n"a,b",6\nc/d,7\n{"x" * 65},8\nbob,NaN\ncarol,-1\n,3\ndave,9\n'

    printed = import_rows(tmp_path, board, text)

    assert points() == {"alice": 5, "dave": 9}
    assert "rows: 8" in printed.out
    assert "accepted: 2 (2 updated, 0 unchanged, 0 duplicate)" in printed.out
    assert "  bad_player: 4, first in row 2: `player` contains `/` or `,`" in printed.out
    assert [(row["row"], row["code"]) for row in rejected(tmp_path)] == [
        *(("2", "bad_player"), ("3", "bad_player"), ("4", "bad_player"), ("5", "bad_points")),
        *(("6", "out_of_range"), ("7", "bad_player")),
    ]
    assert rejected(tmp_path)[0]["who"] == "a,b"
    assert "65 characters" in rejected(tmp_path)[2]["detail"]


def test_a_row_with_too_many_or_too_few_cells_is_rejected_alone(tmp_path: Path) -> None:
    import_rows(tmp_path, make_board(), "who,points\nalice,5,6\nbob\ncarol,7\n")

    assert points() == {"carol": 7}
    assert [row["code"] for row in rejected(tmp_path)] == ["bad_entry", "bad_entry"]


def test_bytes_that_are_no_utf8_spoil_their_own_row_only(tmp_path: Path) -> None:
    import_rows(tmp_path, make_board(), b"\xef\xbb\xbfwho,points\nal\xffice,5\nbob,6\n")

    assert points() == {"bob": 6}
    assert b"al\xffice" in (tmp_path / "scores.rejected.csv").read_bytes()


def test_a_line_separator_inside_a_name_ends_no_row(tmp_path: Path) -> None:
    import_rows(tmp_path, make_board(), 'who,points\nal\u2028ice,5\n"bo\nb",6\ncarol,7\n')

    assert points() == {"carol": 7}
    assert [(row["row"], row["who"]) for row in rejected(tmp_path)] == [("1", "al\u2028ice"), ("2", "bo\nb")]


def test_points_may_be_one_number_for_every_row(tmp_path: Path) -> None:
    board = make_board(update="increment")
    file = tmp_path / "wins.csv"
    file.write_text("who\nalice\nalice\nbob\n")

    run("import_scores", file, "--board", board.seq, "--player", "who", "--points", "1")

    assert points() == {"alice": 2, "bob": 1}


def test_a_bare_date_is_the_days_first_moment_on_the_board(tmp_path: Path) -> None:
    board = make_board(period="day", timezone="Asia/Seoul", cutoff="04:30")

    import_rows(tmp_path, board, "who,points,day\nalice,5,2025-06-01\n", "--at", "day", "--backfill")

    submission = Submission.objects.get()
    assert submission.at.isoformat() == "2025-05-31T19:30:00+00:00"
    assert submission.period.label == "2025-06-01"


def test_a_day_that_no_calendar_has_is_a_bad_time(tmp_path: Path) -> None:
    import_rows(tmp_path, make_board(), "who,points,day\na,1,2025-02-30\nb,2,yesterday\nc,3,\n", "--at", "day")

    assert [row["code"] for row in rejected(tmp_path)] == ["bad_time"] * 3


def test_without_backfill_the_past_is_closed(tmp_path: Path) -> None:
    board = make_board()

    printed = import_rows(tmp_path, board, "who,points,at\na,1,2024-03-01T12:00:00Z\n", "--at", "at")

    assert "period_closed: 1" in printed.out
    assert not Period.objects.filter(board=board, label__startswith="2024").exists()


def test_backfill_leaves_the_running_period_open(tmp_path: Path) -> None:
    board = make_board()
    now = clock.now()
    times = [now, now - timedelta(days=8)]

    import_rows(
        tmp_path,
        board,
        "who,points,at\n" + "".join(f"a,1,{at.isoformat()}\n" for at in times),
        "--at",
        "at",
        "--backfill",
    )

    states = Period.objects.filter(board=board, standings__isnull=False).order_by("starts_at")
    assert [period.state for period in states] == ["final", "open"]


def test_the_schedule_leaves_a_period_alone_while_it_is_backfilled(tmp_path: Path) -> None:
    board = make_board()
    import_rows(tmp_path, board, "who,points\na,1\n")
    backfill(
        [read_entry({"board": board.seq, "player": "a", "points": 1, "at": "2024-03-01T12:00:00Z"}, 0)],
        Caller("x"),
        clock.now(),
    )
    past = Period.objects.get(board=board, label="2024-09")

    assert close_due(clock.now()) == []
    later = close_due(clock.now() + timedelta(hours=2))

    assert [(closed.label, closed.final) for closed in later] == [(past.label, True)]


def test_an_id_column_makes_a_row_count_once(tmp_path: Path) -> None:
    board = make_board(update="increment")
    text = "who,points,match\nalice,5,m1\nalice,5,m1\nalice,6,m1\nbob,2,m2\n"

    printed = import_rows(tmp_path, board, text, "--id", "match")

    assert points() == {"alice": 5, "bob": 2}
    assert "1 duplicate" in printed.out
    assert [row["code"] for row in rejected(tmp_path)] == ["id_reused"]


def test_a_row_that_was_changed_after_its_import_is_refused_and_not_counted_again(tmp_path: Path) -> None:
    board = make_board(update="increment")
    import_rows(tmp_path, board, "who,points\nalice,5\n", "--id", "row")

    printed = import_rows(tmp_path, board, "who,points\nalice,50\nbob,1\n", "--id", "row")

    assert points() == {"alice": 5, "bob": 1}
    assert "id_reused: 1" in printed.out


@pytest.mark.parametrize(
    ("text", "options", "said"),
    [
        ("", (), "is empty"),
        ("who,points\n", (), "no rows"),
        ("who,points,who\n1,2,3\n", (), "twice"),
        ("name,points\nalice,5\n", (), "no column 'who'; it has name, points"),
        ("who,points\nalice,5\n", ("--at", "when"), "--at: scores.csv has no column 'when'"),
    ],
)
def test_a_table_that_can_not_be_what_was_meant_is_refused(
    tmp_path: Path, text: str, options: tuple[str, ...], said: str
) -> None:
    board = make_board()

    with pytest.raises(CommandError, match=said):
        import_rows(tmp_path, board, text, *options)


def test_a_file_that_is_not_there_is_said_to_be_so(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="No such file"):
        run("import_scores", tmp_path / "none.csv", "--board", make_board().seq, "--player", "a", "--points", "1")


def test_a_board_of_several_fields_takes_no_table_of_points(tmp_path: Path) -> None:
    board = make_board(criteria=[{"name": "stage", "max": 100, "order": "desc"}])

    with pytest.raises(CommandError, match="several fields"):
        import_rows(tmp_path, board, "who,points\nalice,5\n")
