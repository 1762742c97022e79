"""Importing tables as they come: strange names, missing cells, ids that were used, times of all kinds, real goals."""

import csv
from collections import Counter, defaultdict
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from django.core.management.base import CommandError

from foundation import clock
from leaderboards import selectors
from leaderboards.core.input.csv_table import CsvRow
from leaderboards.core.input.entries import read_entry
from leaderboards.core.submissions import Caller
from leaderboards.models import Board, FinalStanding, Period, PeriodState, Player, Standing, Storage, Submission
from leaderboards.services.imports.score_rows import Columns, ScoreImport, import_batch
from leaderboards.services.periods.close import close_due
from leaderboards.services.submit.pipeline import backfill
from tests.leaderboards.commands.calls import Printed, run
from tests.leaderboards.factories import BoardFactory
from tests.playing import score

GOALS = Path(__file__).parents[2] / "data" / "football_goals_2023_2025.csv"

pytestmark = pytest.mark.django_db

WEEK = "2024-09"  # of the first of March


def make_board(**settings: object) -> Board:
    return BoardFactory.create(**{"storage": "sql", **settings})


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


def first_months(folder: Path, count: int) -> Path:
    """The file as far as its first months go."""
    with GOALS.open(encoding="utf-8") as lines:
        header, *rows = lines
    months = sorted({row[:7] for row in rows})[:count]
    file = folder / GOALS.name
    file.write_text("".join([header, *(row for row in rows if row[:7] in months)]), encoding="utf-8")
    return file


def ranked_by_month(file: Path) -> dict[str, dict[str, tuple[int, int]]]:
    """Month → player → rank and goals, the plain way: one more than there are better ones."""
    months: dict[str, Counter[str]] = defaultdict(Counter)
    with file.open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            months[row["date"][:7]][row["scorer"]] += 1
    return {
        month: {name: (1 + sum(other > own for other in goals.values()), own) for name, own in goals.items()}
        for month, goals in months.items()
    }


def state() -> tuple[object, ...]:
    """Everything that a second import could have changed."""
    standings = Standing.objects.order_by("pk").values_list("pk", "points", "at", "score", "version")
    finals = FinalStanding.objects.order_by("pk").values_list()
    return (*standings, *finals, Submission.objects.count(), Player.objects.count(), Period.objects.count())


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("storage", [Storage.HYBRID, Storage.REDIS])
@pytest.mark.parametrize(("months", "goals"), [(2, 298), pytest.param(21, 4301, marks=pytest.mark.long)])
def test_every_standing_of_every_month_equals_a_plain_count_of_the_file_and_a_second_run_changes_nothing(
    tmp_path: Path, storage: Storage, months: int, goals: int
) -> None:
    board = BoardFactory.create(period="month", update="increment", ties="shared", storage=storage)
    file = first_months(tmp_path, months)
    columns = ("--board", board.seq, "--player", "scorer", "--points", "1", "--at", "date")

    printed = run("import_scores", file, *columns, "--id", "row", "--backfill").out

    past = [*Period.objects.filter(board=board, ends_at__lt=clock.now()).order_by("starts_at")]
    found = {
        period.label: {row.player: (row.rank, row.points) for row in selectors.export_rows(board, period.label)[1]}
        for period in past
    }
    assert f"accepted: {goals} ({goals} updated, 0 unchanged, 0 duplicate)" in printed
    assert f"periods: {months} ({months} closed)" in printed
    assert found == ranked_by_month(file)
    assert {period.state for period in past} == {PeriodState.FINAL}
    first = selectors.standings(board, "2023-03", limit=1).rows[0]
    assert (first.rank, first.player, first.points, first.tied) == (1, "Rasmus Højlund", 5, 1)

    before = state()
    if storage == Storage.HYBRID:
        again = run("import_scores", file, *columns, "--id", "row", "--backfill").out
        assert f"(0 updated, 0 unchanged, {goals} duplicate)" in again
    else:
        assert f"period_closed: {goals}" in run("import_scores", file, *columns).out
    assert state() == before


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


RAID = [
    {"name": "stage", "max": 100, "order": "desc"},
    {"name": "members", "max": 9, "order": "asc"},
    {"name": "achieved_at", "unit": "ms", "order": "asc"},
]


def import_fields(file: Path, board: Board, *options: object) -> Printed:
    return run("import_scores", file, "--board", board.seq, "--player", "player", *options)


def fields() -> dict[str, list[int] | None]:
    return {row.player.external_id: row.fields for row in Standing.objects.select_related("player")}


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("storage", [Storage.SQL, Storage.HYBRID, Storage.REDIS])
def test_what_was_exported_of_a_board_with_criteria_can_be_imported_into_another(
    tmp_path: Path, storage: Storage, links: None
) -> None:
    first, second = (make_board(criteria=RAID, storage=storage, period="all_time", name=name) for name in "ab")
    file = tmp_path / "raid.csv"
    file.write_text(
        "player,stage,party,at\n"
        "owls,70,3,2025-01-07T10:00:00.250Z\nwolves,70,3,2025-01-07T10:00:00.125Z\nfoxes,70,2,2025-01-09T10:00:00Z\n"
        "bears,71,9,2025-01-09T10:00:00Z\ncats,0,0,2025-01-09T10:00:00Z\n"
    )
    columns = ("--field", "stage=stage", "--at")

    import_fields(file, first, *columns, "at", "--field", "members=party")
    out = run("export_standings", "--board", first.seq, "--raw").out
    again = tmp_path / "again.csv"
    again.write_text(out)
    import_fields(again, second, *columns, "achieved_at", "--field", "members=members")

    rows = [*csv.DictReader(out.splitlines())]
    assert [row["player"] for row in rows] == ["bears", "foxes", "wolves", "owls", "cats"]
    assert run("export_standings", "--board", second.seq, "--raw").out == out


def test_a_cell_that_is_no_whole_number_of_its_criterion_spoils_its_own_row(tmp_path: Path) -> None:
    board = make_board(criteria=RAID, operators=["increment"], update="latest")
    file = tmp_path / "scores.csv"
    file.write_text(
        "player,s,m,does\nann,5,1,\nbob,5.5,1,\ncho,many,1,\ndan,,1,\neve,101,1,\nfay,-1,1,\n"
        "ann,,2,increment\ngus,7.0,0,\n"
    )

    import_fields(file, board, "--field", "stage=s", "--field", "members=m", "--operator", "does")

    assert fields() == {"ann": [5, 3], "gus": [7, 0]}
    assert [(row["player"], row["code"]) for row in rejected(tmp_path)] == [
        *(("bob", "bad_points"), ("cho", "bad_points"), ("dan", "bad_entry")),
        *(("eve", "out_of_range"), ("fay", "out_of_range")),
    ]
    assert "'stage' must be a whole number" in rejected(tmp_path)[1]["detail"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ((), "give --field stage=COLUMN --field members=COLUMN in place of --points"),
        (("--field", "stage=s", "--points", "s"), "in place of --points"),
        (("--field", "stage"), "write NAME=COLUMN"),
        (("--field", "=s"), "write NAME=COLUMN"),
        (("--field", "stage=x"), "--field stage: scores.csv has no column 'x'"),
        (("--field", "stage=s", "--field", "stage=m"), "stage is given twice"),
        (("--field", "achieved_at=m"), "give --at m"),
    ],
)
def test_fields_that_cannot_be_meant_are_refused_before_the_first_row(
    tmp_path: Path, options: tuple[str, ...], said: str
) -> None:
    file = tmp_path / "scores.csv"
    file.write_text("player,s,m\nann,5,1\n")
    with pytest.raises(CommandError, match=said):
        import_fields(file, make_board(criteria=RAID), *options)
    assert not Player.objects.exists()


def test_a_field_that_the_board_does_not_know_is_told_with_the_first_row(tmp_path: Path) -> None:
    file = tmp_path / "scores.csv"
    file.write_text("player,s,m\nann,5,1\n")
    told = import_fields(file, make_board(criteria=RAID), "--field", "stage=s", "--field", "member=m").out
    assert "bad_entry: 1, first in row 1: `fields` lacks 'members'" in told
    assert not fields()


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
