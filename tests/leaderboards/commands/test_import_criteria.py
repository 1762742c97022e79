"""Importing tables into boards with criteria: a column for each, and what is refused of them."""

import csv
from pathlib import Path

import pytest
from django.core.management.base import CommandError

from leaderboards.models import Board, Player, Standing, Storage
from tests.leaderboards.commands.calls import Printed, run
from tests.leaderboards.commands.importing import make_board, rejected

pytestmark = pytest.mark.django_db

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
