"""Moving here from sorted sets: those of anybody, and agoragames' leaderboards.

What docs/moving.md tells to run is run, but for the servers that it names.
"""

import json
import re
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.management import call_command
from django.core.management.base import CommandError
from redis import Redis

from leaderboards.models import Board, Player
from leaderboards.stores import external_zset
from tests.leaderboards.commands.calls import run
from tests.leaderboards.commands.moved import import_text, names, table

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

    assert table(text)[1:] == [["c", "5", "2025-01-01T01:00:01Z"], ["a_b", "5", "2025-01-01T01:00:00.123Z"]]
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
