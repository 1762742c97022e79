"""Rows in bulk: what travels as an array arrives as it was sent. Generations only grow, whatever is rolled back."""

from datetime import UTC, datetime

import pytest
from django.db import DataError, connection, transaction

from foundation.db.pipeline import StatementRunner
from foundation.models import DrawnGeneration
from foundation.sync import generations
from leaderboards.core.ranking.policies import StandingState
from leaderboards.models import Player, Standing
from leaderboards.stores.sql.bulk import as_array, one_of
from leaderboards.stores.sql.locks import lock_period_and_standings, lock_standings
from leaderboards.stores.sql.writes import (
    StandingRow,
    ensure_players,
    make_players,
    make_standings,
    player_ids_by_external_id,
    write_standings,
)
from tests.leaderboards.services.site import make_board, period_of

pytestmark = pytest.mark.django_db
POSTGRESQL = pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has no arrays, and other plans")

NOON = datetime(2026, 3, 4, 12, 0, 0, 123_456, tzinfo=UTC)
HARD = ["", "NULL", "null", '"', "\\", '\\"', "a,b", "{a}", " a ", "'", "%s", "a\nb", "김", "𝔘", "\x01", "''", "E'\\x'"]


@POSTGRESQL
@pytest.mark.parametrize(
    ("kind", "cells"),
    [
        ("text", [*HARD, None]),
        ("bigint", [0, -1, 2**63 - 1, -(2**63), None]),
        ("float8", [0.0, -0.5, 1e300, 5e-324, float(2**53), float("inf"), None]),
        ("boolean", [True, False, None]),
        ("timestamptz", [NOON, NOON.replace(year=1970), None]),
    ],
)
def test_an_array_arrives_as_it_was_sent(kind: str, cells: list[object]) -> None:
    with connection.cursor() as cursor:
        for sent in (cells, cells[:-1]):
            cursor.execute(f"SELECT %s::{kind}[]", [as_array(sent)])  # type: ignore[arg-type]  # the cells are of every type in turn

            assert cursor.fetchone() == (sent,)


def test_no_player_is_taken_for_another_whatever_their_name() -> None:
    names = [name for name in HARD if name]

    make_players(names, NOON)
    make_players(names, NOON)
    found = ensure_players(names, NOON)

    assert {name: player.external_id for name, player in found.items()} == dict(zip(names, names, strict=True))
    assert Player.objects.count() == len(names)
    for others in (["a", "b"], []):
        assert not Player.objects.filter(one_of("external_id", "text", others)).exists()


@POSTGRESQL
def test_a_name_is_found_by_its_index_among_many_and_one_that_sql_cannot_keep_is_refused() -> None:
    make_players([f"p{number}" for number in range(2000)], NOON)

    with connection.cursor() as cursor:
        cursor.execute("ANALYZE leaderboards_player")
    query = Player.objects.filter(one_of("external_id", "text", [f"p{number}" for number in range(20)]))

    assert "Index Cond" in query.explain()
    with pytest.raises((DataError, ValueError)):
        ensure_players(["a\0b"], NOON)


def test_a_standing_is_locked_as_it_was_written_and_whoever_has_none_is_left_out() -> None:
    period = period_of(make_board("sql"))
    numbers = player_ids_by_external_id(["a", "b", "c", "d"], NOON)
    make_standings(period, ["a", "b", "c"])
    make_standings(period, ["a", "b", "c"])
    late = StandingState((7,), 1_772_625_600_123)

    rows = [StandingRow(numbers["a"], "a", "a", late, 7.0, 3), StandingRow(numbers["b"], "b", "b", None, None, 4)]
    write_standings(StatementRunner(), period, rows)
    Player.objects.filter(external_id="b").update(banned_at=NOON)
    held = lock_standings(period, ["a", "b", "c", "d", "nobody"])

    assert {name: (row.player_id, row.state, row.version, row.banned) for name, row in held.items()} == {
        "a": (numbers["a"], late, 3, False),
        "b": (numbers["b"], None, 4, True),
        "c": (numbers["c"], None, 0, False),
    }
    assert Standing.objects.filter(period=period).count() == 3


@pytest.mark.django_db(transaction=True)
def test_a_generation_is_not_drawn_again_after_a_rollback_is_lifted_above_others_and_never_falls() -> None:
    with transaction.atomic():
        lost = generations.next_generation()
        transaction.set_rollback(True)

    numbers = [generations.next_generation() for _ in range(5)]
    generations.raise_sequence(numbers[-1] + 1000)
    numbers.append(generations.next_generation())
    generations.raise_sequence(lost)
    numbers.append(generations.next_generation())

    # SQLite rolls its sequence back, which is why settling draws in a transaction of its own.
    assert numbers[0] >= lost
    assert numbers == sorted(set(numbers))
    assert numbers[5] > numbers[4] + 1000
    assert DrawnGeneration.objects.count() <= 1  # rows are of no use


@POSTGRESQL
def test_of_one_player_postgresql_keeps_its_plan_instead_of_planning_each_time() -> None:
    period, names = period_of(make_board("hybrid")), [f"p{number}" for number in range(500)]
    make_players(names, NOON)
    make_standings(period, names)
    before = _plans_kept()

    for _ in range(8):
        assert list(lock_period_and_standings(period, ["p7"])[1]) == ["p7"]

    assert _plans_kept() > before


def _plans_kept() -> int:
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE leaderboards_player, leaderboards_standing")
        cursor.execute(
            "SELECT coalesce(sum(generic_plans), 0) FROM pg_prepared_statements WHERE statement LIKE '%FOR UPDATE OF s'"
        )
        return int(cursor.fetchone()[0])
