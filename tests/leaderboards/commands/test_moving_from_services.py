"""Moving here from Nakama's records and PlayFab's fragments.

What docs/moving.md tells to run is run, but for the servers that it names.
"""

import re
import subprocess
import sys
from pathlib import Path
from uuid import uuid4

import pytest
from django.conf import settings
from django.db import connection

from leaderboards import selectors
from leaderboards.models import Board
from leaderboards.selectors.rankings.metadata import reading_metadata
from tests.leaderboards.commands.calls import run
from tests.leaderboards.commands.moved import import_text, names, table
from tests.leaderboards.factories import BoardFactory

DOCS = Path(__file__).parents[3] / "docs"

pytestmark = pytest.mark.django_db


def playfab(folder: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    """The script of the page."""
    page = (DOCS / "moving.md").read_text(encoding="utf-8")
    told = re.search(r"```python\n(.+?)```", page, re.DOTALL)
    assert told
    script = folder / "playfab.py"
    script.write_text(told[1], encoding="utf-8")
    command = [sys.executable, str(script), *map(str, arguments)]
    return subprocess.run(command, check=False, capture_output=True, text=True, encoding="utf-8")


def test_the_fragments_of_a_segment_of_playfab_come_by_the_script_of_the_page(tmp_path: Path) -> None:
    """TSV, with all statistics of a player in one cell, and players who have none of this one."""
    fragments = sorted(Path(__file__).parent.glob("playfab-*.tsv"))
    done = playfab(tmp_path, "weekly", "PlayerId", "PlayerStatistics", *fragments)

    points = import_text(tmp_path, done.stdout, "--player", "player", "--points", "points", "--id", "row")
    assert points == {"A1B2C3D4E5F60718": 4200, "0F1E2D3C4B5A6978": 17, "1122334455667788": 0}
    assert (done.returncode, done.stderr) == (0, "2 players without weekly\n")


def test_a_fragment_that_is_cut_off_ends_the_script(tmp_path: Path) -> None:
    whole = (Path(__file__).parent / "playfab-1.tsv").read_text(encoding="utf-8")
    cut = tmp_path / "cut.tsv"
    cut.write_text(whole[: whole.index("{")], encoding="utf-8")
    done = playfab(tmp_path, "weekly", "PlayerId", "PlayerStatistics", cut)
    assert (done.returncode, "row 2 has 3 cells, and the header 4" in done.stderr) == (1, True)


def test_statistics_of_profiles_are_read_as_objects_too_and_an_unknown_form_is_named(tmp_path: Path) -> None:
    fragment = tmp_path / "fragment.tsv"
    fragment.write_text('PlayerId\tStatistics\nA1\t{"weekly": 4200}\n', encoding="utf-8")
    assert playfab(tmp_path, "weekly", "PlayerId", "Statistics", fragment).stdout == "player,points\nA1,4200\n"
    lost = playfab(tmp_path, "weekly", "PlayerId", "PlayerStatistics", fragment)
    assert (lost.returncode, "there is no column PlayerStatistics, but PlayerId" in lost.stderr) == (1, True)

    for cell in ('[{"Name": "weekly", "Points": 3}]', "3", "[3]", "weekly=3"):
        fragment.write_text(f"PlayerId\tStatistics\nA1\t{cell}\n", encoding="utf-8")
        done = playfab(tmp_path, "weekly", "PlayerId", "Statistics", fragment)
        assert done.returncode == 1
        assert done.stderr == f"{fragment}: row 2 has statistics of an unknown form: {cell}\n"


def test_a_fragment_comes_as_it_is_where_a_column_has_the_points(tmp_path: Path) -> None:
    text = "PlayerId\tDisplayName\tweekly\nA1\tZoë, the Owl\t4200\n"
    columns = ("--player", "PlayerId", "--points", "weekly", "--name", "DisplayName")
    assert import_text(tmp_path, text, *columns, "--delimiter", "tab") == {"A1": 4200}
    assert names() == {"A1": "Zoë, the Owl"}


NAKAMA = """
CREATE TEMPORARY TABLE leaderboard_record (
    leaderboard_id varchar(128) NOT NULL, owner_id uuid NOT NULL, username varchar(128),
    score bigint NOT NULL DEFAULT 0, subscore bigint NOT NULL DEFAULT 0, num_score int NOT NULL DEFAULT 1,
    metadata jsonb NOT NULL DEFAULT '{}', create_time timestamptz NOT NULL DEFAULT now(),
    update_time timestamptz NOT NULL DEFAULT now(), expiry_time timestamptz NOT NULL DEFAULT '1970-01-01 00:00:00 UTC')
"""


@pytest.mark.skipif(settings.DATABASES["default"]["ENGINE"].endswith("sqlite3"), reason="Nakama keeps a PostgreSQL")
@pytest.mark.parametrize("page", ["moving.md", "guides/from-nakama.md"])
def test_nakamas_records_come_by_the_statement_of_the_page(tmp_path: Path, page: str) -> None:
    told = re.search(r"\\copy \((.+)\) to '", (DOCS / page).read_text(encoding="utf-8"))
    assert told
    ids = [str(uuid4()) for _ in range(3)]
    with connection.cursor() as cursor:
        cursor.execute(NAKAMA)
        for owner, name, where, score, subscore, at, metadata in (
            (ids[0], "anna", "weekly", 9, 5, "2025-01-07 10:00:00.123456+00", '{"map": "canyon, north"}'),
            (ids[1], None, "weekly", 9, 6, "2025-01-08 10:00:00+00", "{}"),
            (ids[2], "else", "other", 7, 0, "2025-01-08 10:00:00+00", "{}"),
        ):
            cursor.execute(
                "INSERT INTO leaderboard_record (owner_id, username, leaderboard_id, score, subscore, update_time,"
                " metadata) VALUES (%s, %s, %s, %s, %s, %s, %s)",
                [owner, name, where, score, subscore, at, metadata],
            )
        with cursor.copy(f"COPY ({told[1]}) TO STDOUT WITH CSV HEADER") as copied:
            text = b"".join(map(bytes, copied)).decode()

    columns = ("player", "points", "at", "name", "metadata")
    options = (*(word for column in columns for word in (f"--{column}", column)), "--backfill")
    board: Board = BoardFactory.create(storage="sql", period="week", timezone="UTC")
    file = tmp_path / "weekly.csv"
    file.write_text(text, encoding="utf-8")
    printed = run("import_scores", file, "--board", board.seq, *options).out

    assert "accepted: 2 (2 updated" in printed
    assert names() == {ids[0]: "anna", ids[1]: ""}
    kept = table(run("export_standings", "--board", board.seq, "--period", "2025-02").out)
    assert [(row[1], row[4]) for row in kept[1:]] == [
        (ids[0], "2025-01-07T10:00:00.123Z"),
        (ids[1], "2025-01-08T10:00:00Z"),
    ]
    with reading_metadata(wanted=True):
        found = selectors.standings(board, "2025-02").rows
    assert [row.metadata for row in found] == ['{"map":"canyon, north"}', None]

    by_subscore: Board = BoardFactory.create(
        name="With subscores", storage="sql", period="week", timezone="UTC",
        criteria=[{"name": name, "max": 1000, "order": "desc"} for name in ("score", "subscore")],
    )  # fmt: skip  # as a table
    more = ("--player", "player", "--field", "score=points", "--field", "subscore=subscore", "--at", "at", "--backfill")
    run("import_scores", file, "--board", by_subscore.seq, *more)
    ranked = table(run("export_standings", "--board", by_subscore.seq, "--period", "2025-02").out)
    assert [row[1] for row in ranked[1:]] == [ids[1], ids[0]]  # as Nakama has them, though anna was first


@pytest.mark.parametrize(("order", "expected"), [("desc", "cba"), ("asc", "abc")])
def test_equals_that_share_a_rank_stand_in_the_order_of_nakamas_owner_ids(
    tmp_path: Path, order: str, expected: str
) -> None:
    text = "player,points,subscore\nb,5,1\na,5,1\nc,5,1\n"
    both = [{"name": name, "max": 1000, "order": order} for name in ("score", "subscore")]
    by_points, by_fields = ("--points", "points"), ("--field", "score=points", "--field", "subscore=subscore")
    for nth, (criteria, columns) in enumerate((([], by_points), (both, by_fields))):
        rules = {"order": order, "ties": "shared", "criteria": criteria, "name": f"Board {nth}"}
        import_text(tmp_path, text, "--player", "player", *columns, **rules)
        rows = table(run("export_standings", "--board", Board.objects.latest("seq").seq).out)[1:]
        assert ("".join(row[1] for row in rows), {row[0] for row in rows}) == (expected, {"1"})
