"""Moving here from others: sorted sets of anybody, agoragames' leaderboards, Nakama's records, PlayFab's fragments.

What docs/moving.md tells to run is run, but for the servers that it names.
"""

import csv
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.conf import settings
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connection
from redis import Redis

from leaderboards import selectors
from leaderboards.models import Board, Player, Standing
from leaderboards.selectors.rankings.metadata import reading_metadata
from leaderboards.stores import external_zset
from tests.leaderboards.commands.calls import run
from tests.leaderboards.factories import BoardFactory

DOCS = Path(__file__).parents[3] / "docs"

pytestmark = pytest.mark.django_db


@pytest.fixture
def theirs(links: None) -> Iterator[Redis]:
    client = Redis.from_url(address())
    yield client
    client.delete("theirs", "theirs:member_data")
    client.close()


def address() -> str:
    return str(settings.CACHE_URL)  # any server will do


def read(*options: object) -> str:
    return run("read_sorted_set", address(), "theirs", *options).out


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


def test_a_sorted_set_comes_whole_and_in_order_whatever_its_parts(
    theirs: Redis, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(external_zset, "BATCH_SIZE", 3)
    theirs.zadd("theirs", {f"player-{n}": n for n in range(10)} | {"half": 4.5, "big": 2.0**30})

    text = read()

    assert table(text)[:3] == [["player", "points"], ["big", "1073741824"], ["player-9", "9"]]
    points = import_text(tmp_path, text, "--player", "player", "--points", "points", decimals=1)
    assert points == {f"player-{n}": 10 * n for n in range(10)} | {"half": 45, "big": 10 * 2**30}


def test_names_of_agoragames_come_from_the_data_beside_the_members(theirs: Redis, tmp_path: Path) -> None:
    theirs.zadd("theirs", {"a": 3, "b": 2, "c": 1})
    theirs.hset("theirs:member_data", mapping={"a": json.dumps({"name": "Anna, the first"}), "b": json.dumps({"x": 1})})
    Player.objects.create(external_id="c", name="Carol")

    text = read("--names", "theirs:member_data", "--name-field", "name")

    import_text(tmp_path, text, "--player", "player", "--points", "points", "--name", "name")
    assert names() == {"a": "Anna, the first", "b": "", "c": "Carol"}
    import_text(
        tmp_path, "player,points,name\na,9,Other\n", "--player", "player", "--points", "points", "--name", "name"
    )
    assert names()["a"] == "Anna, the first"  # who has a name keeps it


def test_a_name_that_no_page_can_show_is_refused_with_its_row(tmp_path: Path) -> None:
    options = ("--player", "player", "--points", "points", "--name", "name")
    assert import_text(tmp_path, "player,points,name\na,9,a\x07b\nb,8,B\n", *options) == {"b": 8}
    assert "cannot be shown" in (tmp_path / "theirs.rejected.csv").read_text(encoding="utf-8")


def test_of_a_score_with_a_time_behind_it_the_points_are_the_whole_part(theirs: Redis) -> None:
    theirs.zadd("theirs", {"a": 12 * 2**32 + 77, "b": -1, "c": float("inf")})
    assert table(read("--whole-of", 2**32))[1:] == [["c", "inf"], ["a", "12"], ["b", "-1"]]


def test_members_of_a_hand_made_leaderboard_bring_the_time_that_breaks_ties(theirs: Redis, tmp_path: Path) -> None:
    """`LeaderBoard_…` as many build it: the time before the player, as it is or as what is left of it."""
    first, second = 1_735_693_200_123, 1_735_693_201_000
    theirs.zadd("theirs", {f"{first:019}_a_b": 5, f"{second:019}_c": 5})

    text = read("--time-in-member", "ms")

    assert table(text)[1:] == [["c", "5", "2025-01-01T01:00:01Z"], ["a_b", "5", "2025-01-01T01:00:00.123000Z"]]
    options = ("--player", "player", "--points", "points", "--at", "at", "--backfill")
    import_text(tmp_path, text, *options, period="all_time", ties="first_come")
    board = Board.objects.latest("seq")
    shown = table(run("export_standings", "--board", board.seq).out)
    assert [row[1] for row in shown[1:]] == ["a_b", "c"]
    theirs.delete("theirs")
    theirs.zadd("theirs", {f"{2**63 - 1 - first:019}_a_b": 5, f"{2**63 - 1 - second:019}_c": 5})
    assert sorted(table(read("--time-in-member", "left"))[1:]) == sorted(table(text)[1:])
    with pytest.raises(CommandError, match="the other --time-in-member"):
        read("--time-in-member", "ms")
    theirs.zadd("theirs", {"carol": 1})
    with pytest.raises(CommandError, match="no time before its player"):
        read("--time-in-member", "left")


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
    done = playfab(tmp_path, "weekly", "PlayerId", "Statistics", *fragments)

    points = import_text(tmp_path, done.stdout, "--player", "player", "--points", "points", "--id", "row")
    assert points == {"A1B2C3D4E5F60718": 4200, "0F1E2D3C4B5A6978": 17, "1122334455667788": 0}
    assert (done.returncode, done.stderr) == (0, "2 players without weekly\n")


def test_a_fragment_that_is_cut_off_ends_the_script(tmp_path: Path) -> None:
    whole = (Path(__file__).parent / "playfab-1.tsv").read_text(encoding="utf-8")
    cut = tmp_path / "cut.tsv"
    cut.write_text(whole[: whole.index("{")], encoding="utf-8")
    done = playfab(tmp_path, "weekly", "PlayerId", "Statistics", cut)
    assert (done.returncode, "row 2 has 3 cells, and the header 4" in done.stderr) == (1, True)


def test_a_fragment_comes_as_it_is_where_a_column_has_the_points(tmp_path: Path) -> None:
    text = "PlayerId\tDisplayName\tweekly\nA1\tZoë, the Owl\t4200\n"
    columns = ("--player", "PlayerId", "--points", "weekly", "--name", "DisplayName")
    assert import_text(tmp_path, text, *columns, "--delimiter", "tab") == {"A1": 4200}
    assert names() == {"A1": "Zoë, the Owl"}


def test_what_changes_while_it_is_read_is_refused(theirs: Redis, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(external_zset, "BATCH_SIZE", 1)
    theirs.zadd("theirs", {"a": 1, "b": 2})
    rows = external_zset.read_external_zset(external_zset.ExternalZset(address(), "theirs"))
    next(rows)
    theirs.zincrby("theirs", 5, "a")
    with pytest.raises(Exception, match="changed while it was read"):
        list(rows)


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (("--whole-of", 0), "at least 1"),
        (("--name-field", "name"), "name the hash too"),
    ],
)
def test_what_cannot_be_meant_is_refused(theirs: Redis, options: tuple[object, ...], why: str) -> None:
    theirs.zadd("theirs", {"a": 1})
    with pytest.raises(CommandError, match=why):
        read(*options)


def test_a_member_whose_data_is_no_json_is_listed_and_the_others_keep_their_names(
    theirs: Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(external_zset, "BATCH_SIZE", 1)
    theirs.zadd("theirs", {"a": 4, "b": 3, "c": 2, "d": 1})
    data: dict[Any, Any] = {"a": "Anna", "b": "[1]", "c": json.dumps({"name": "Carol"})}
    theirs.hset("theirs:member_data", mapping=data)
    out, err = StringIO(), StringIO()
    options: dict[str, Any] = {"names": "theirs:member_data", "name_field": "name", "stdout": out, "stderr": err}

    with pytest.raises(CommandError, match=r"2 members .* no JSON object") as failed:
        call_command("read_sorted_set", address(), "theirs", **options)

    assert table(out.getvalue())[1:] == [["a", "4", ""], ["b", "3", ""], ["c", "2", "Carol"], ["d", "1", ""]]
    listed = err.getvalue().splitlines()
    assert [re.findall(r"data of '(\w)' in 'theirs:member_data'", line) for line in listed] == [["a"], ["b"]]
    assert "leave --name-field out" in str(failed.value)


def test_what_fails_at_once_prints_no_header(theirs: Redis) -> None:
    out = StringIO()
    with pytest.raises(CommandError, match="no sorted set"):
        call_command("read_sorted_set", address(), "theirs", stdout=out)
    theirs.zadd("theirs", {"carol": 1})
    with pytest.raises(CommandError, match="no time before its player"):
        call_command("read_sorted_set", address(), "theirs", time_in_member="ms", stdout=out)
    assert out.getvalue() == ""


def test_members_that_are_no_text_are_told_and_make_it_fail(theirs: Redis) -> None:
    theirs.zadd("theirs", {b"\xff": 1, b"good": 2})
    with pytest.raises(CommandError, match="1 members"):
        read()


@pytest.mark.parametrize("where", ["redis://127.0.0.1:1/0", "http://example.com", "nothing"])
def test_a_redis_that_is_not_there_is_told_in_one_line(where: str) -> None:
    with pytest.raises(CommandError):
        run("read_sorted_set", where, "theirs")


def test_there_is_no_such_sorted_set(theirs: Redis) -> None:
    with pytest.raises(CommandError, match="no sorted set 'theirs'"):
        read()


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
        (ids[0], "2025-01-07T10:00:00.123000Z"),
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
