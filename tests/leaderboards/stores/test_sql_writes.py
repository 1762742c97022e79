"""Rows in bulk: what travels as an array arrives as it was sent."""

from datetime import UTC, datetime

import pytest
from django.db import DataError, connection

from foundation.statements import Statements
from leaderboards.core.policies import State
from leaderboards.models import Player, Standing
from leaderboards.stores.sql_locks import lock_standings
from leaderboards.stores.sql_rows import among, as_array
from leaderboards.stores.sql_writes import (
    StandingRow,
    ensure_players,
    make_players,
    make_standings,
    player_numbers,
    write_standings,
)
from tests.leaderboards.services.site import make_board, period_of

pytestmark = pytest.mark.django_db

NOON = datetime(2026, 3, 4, 12, 0, 0, 123_456, tzinfo=UTC)
HARD = ["", "NULL", "null", '"', "\\", '\\"', "a,b", "{a}", " a ", "'", "%s", "a\nb", "김", "𝔘", "\x01", "''", "E'\\x'"]


@pytest.mark.parametrize(
    ("kind", "cells"),
    [
        ("text", [*HARD, None]),
        ("text", HARD),
        ("text", ["a", "b c", "NULL", ""]),
        ("bigint", [0, -1, 2**63 - 1, -(2**63), None]),
        ("float8", [0.0, -0.5, 1e300, 5e-324, float(2**53), float("inf"), None]),
        ("boolean", [True, False, None]),
        ("timestamptz", [NOON, NOON.replace(year=1970), None]),
    ],
)
def test_an_array_arrives_as_it_was_sent(kind: str, cells: list[object]) -> None:
    if connection.vendor != "postgresql":
        pytest.skip("only PostgreSQL is sent arrays: on SQLite rows travel as VALUES")

    with connection.cursor() as cursor:
        cursor.execute(f"SELECT %s::{kind}[]", [as_array(cells)])  # type: ignore[arg-type]  # cells of every kind
        (found,) = cursor.fetchone()

    assert found == cells


def test_no_player_is_taken_for_another_however_he_is_called() -> None:
    names = [name for name in HARD if name]

    make_players(names, NOON)
    make_players(names, NOON)
    found = ensure_players(names, NOON)

    assert {name: player.external_id for name, player in found.items()} == dict(zip(names, names, strict=True))
    assert Player.objects.count() == len(names)
    assert not Player.objects.filter(among("external_id", "text", ["a", "b"])).exists()
    assert not Player.objects.filter(among("external_id", "text", [])).exists()


def test_what_sql_cannot_keep_is_refused_as_before() -> None:
    if connection.vendor != "postgresql":
        pytest.skip("SQLite keeps a null character, so nothing is refused")

    with pytest.raises((DataError, ValueError)):
        ensure_players(["a\0b"], NOON)


def test_a_name_is_found_by_its_index_among_many() -> None:
    if connection.vendor != "postgresql":
        pytest.skip("asks the planner of PostgreSQL; SQLite explains its plans in another way")
    make_players([f"p{number}" for number in range(5000)], NOON)

    with connection.cursor() as cursor:
        cursor.execute("ANALYZE leaderboards_player")
        query = Player.objects.filter(among("external_id", "text", [f"p{number}" for number in range(20)]))
        plan = query.explain()

    assert "Index Cond" in plan


def test_a_standing_is_locked_as_it_was_written_and_whoever_has_none_is_left_out() -> None:
    period = period_of(make_board("sql"))
    numbers = player_numbers(["a", "b", "c", "d"], NOON)
    make_standings(period, ["a", "b", "c"])
    make_standings(period, ["a", "b", "c"])
    late = State((7,), 1_772_625_600_123)

    write_standings(
        Statements(),
        period,
        [
            StandingRow(numbers["a"], "a", "a", late, 7.0, 3),
            StandingRow(numbers["b"], "b", "b", None, None, 4),
        ],
    )
    Player.objects.filter(external_id="b").update(banned_at=NOON)
    held = lock_standings(period, ["a", "b", "c", "d", "nobody"])

    assert {name: (row.player_id, row.state, row.version, row.banned) for name, row in held.items()} == {
        "a": (numbers["a"], late, 3, False),
        "b": (numbers["b"], None, 4, True),
        "c": (numbers["c"], None, 0, False),
    }
    assert Standing.objects.filter(period=period).count() == 3


def test_an_older_version_changes_nothing_where_only_newer_ones_may() -> None:
    period = period_of(make_board("sql"))
    [number] = player_numbers(["a"], NOON).values()
    newer, older = State((7,), 1000), State((5,), 2000)

    write_standings(Statements(), period, [StandingRow(number, "a", "a", newer, 7.0, 3)], only_newer=True)
    write_standings(Statements(), period, [StandingRow(number, "a", "a", older, 5.0, 2)], only_newer=True)

    assert lock_standings(period, ["a"])["a"].state == newer
