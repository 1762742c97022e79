"""Standings are divided by period, and united again, with their rows, numbers, indexes and rights."""

from collections.abc import Iterator

import pytest
from django.db import connection, models
from django.db.migrations import Migration
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.state import ProjectState

from leaderboards.migrations._concurrently import AddIndexBesideWriters, RemoveIndexBesideWriters
from leaderboards.models import Standing
from tests.leaderboards.services.site import crowd, make_board, points, score

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor != "postgresql", reason="on SQLite nothing is divided"),
]
NAME = "0054_divided"


@pytest.fixture
def migration() -> Iterator[tuple[Migration, ProjectState]]:
    """The migration and the state before it; what a test has taken back is done again."""
    loader = MigrationLoader(connection)
    found, before = loader.get_migration("leaderboards", NAME), loader.project_state(("leaderboards", NAME), False)
    yield found, before
    if not is_divided():
        with connection.schema_editor(atomic=False) as editor:
            found.apply(before.clone(), editor)


def take_back(found: Migration, before: ProjectState) -> None:
    with connection.schema_editor(atomic=False) as editor:
        found.unapply(before.clone(), editor)


def do(found: Migration, before: ProjectState) -> None:
    with connection.schema_editor(atomic=False) as editor:
        found.apply(before.clone(), editor)


def ask(statement: str) -> list[tuple[object, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement)
        return list(cursor.fetchall())


def is_divided() -> bool:
    return bool(ask("SELECT 1 FROM pg_class WHERE relname = 'leaderboards_standing' AND relkind = 'p'"))


def indexes(table: str) -> dict[str, str]:
    """Names of a table's indexes, and what is in them."""
    found = ask(f"SELECT indexname, substring(indexdef FROM 'USING .*') FROM pg_indexes WHERE tablename = '{table}'")  # noqa: S608 - a name of ours
    return {str(name): str(columns) for name, columns in found}


def insert(period: int, player: int) -> int:
    """As a release does that knows nothing of parts."""
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO leaderboards_standing (period_id, player_id, member, version, pending_publish)"
            " VALUES (%s, %s, 'm', 0, false) ON CONFLICT (period_id, player_id) DO UPDATE SET version = 1 RETURNING id",
            [period, player],
        )
        return int(cursor.fetchone()[0])


def test_back_and_forth_keeps_rows_numbers_and_indexes(migration: tuple[Migration, ProjectState]) -> None:
    shared, own = make_board("sql", name="Shared"), make_board("sql", own_tables=True)
    periods = crowd(shared, 4), crowd(own, 6)
    rows = sorted(Standing.objects.values_list("pk", "period", "player", "points"))
    whole = {table: indexes(table) for table in ("leaderboards_standing", "leaderboards_finalstanding")}

    take_back(*migration)

    assert not is_divided()
    assert sorted(Standing.objects.values_list("pk", "period", "player", "points")) == rows
    united = indexes("leaderboards_standing")
    assert united.pop("leaderboards_standing_pkey").endswith("(id)")
    assert united == whole["leaderboards_standing"]
    assert indexes("leaderboards_finalstanding") == whole["leaderboards_finalstanding"]
    assert ask("SELECT relname FROM pg_class WHERE relname ~ '^leaderboards_(final)?standing_.*(rest|[0-9]{13})'") == []
    Standing.objects.filter(player__external_id="p0").delete()
    later = insert(periods[0].pk, rows[0][2])
    assert later > max(row[0] for row in rows)

    score(own, {"p9": 9})
    do(*migration)

    assert is_divided()
    assert indexes("leaderboards_standing") == whole["leaderboards_standing"]
    assert {name.removesuffix("_rest") for name in indexes("leaderboards_standing_rest")} == {
        *whole["leaderboards_standing"], "leaderboards_standing_pkey"
    }  # fmt: skip  # a set
    assert points(shared) == {"p1": 2, "p2": 3, "p3": 4}
    assert points(own) == {f"p{number}": number + 1 for number in range(1, 6)} | {"p9": 9}
    assert ask(f"SELECT count(*) FROM leaderboards_standing_{periods[1].pk}") == [(6,)]  # noqa: S608 - a name of ours
    assert make_board("sql", name="Next", own_tables=True).periods.order_by("-pk")[0].pk > periods[1].pk + 1
    assert insert(periods[0].pk, rows[0][2]) == later  # the row that is there
    assert Standing.objects.get(pk=later).version == 1


def test_nothing_is_read_while_tables_are_divided(migration: tuple[Migration, ProjectState]) -> None:
    crowd(make_board("sql"), 4)
    take_back(*migration)
    with connection.cursor() as cursor:
        cursor.execute("SET client_min_messages = debug1")
    notices: list[str] = []
    connection.connection.add_notice_handler(lambda told: notices.append(str(told.message_primary)))

    do(*migration)

    with connection.cursor() as cursor:
        cursor.execute("RESET client_min_messages")
    assert any("is implied by existing constraints" in notice for notice in notices)
    assert not any("verifying table" in notice for notice in notices)


def test_an_index_comes_to_each_part_beside_writers_and_to_parts_that_are_made_later() -> None:
    first = crowd(make_board("sql", own_tables=True), 3)
    index = models.Index(fields=["period", "version"], name="standing_tried")
    loader = MigrationLoader(connection)
    before = loader.project_state(("leaderboards", NAME))
    added, removed = AddIndexBesideWriters("standing", index), RemoveIndexBesideWriters("standing", "standing_tried")
    after = before.clone()
    added.state_forwards("leaderboards", after)

    try:
        with connection.schema_editor(atomic=False) as editor:
            added.database_forwards("leaderboards", editor, before, after)
            added.database_forwards("leaderboards", editor, before, after)  # a second time changes nothing
        second = crowd(make_board("sql", name="Later", own_tables=True), 3)
        valid = "SELECT indisvalid FROM pg_index WHERE indexrelid = 'standing_tried'::regclass"
        assert ask(valid) == [(True,)]
        for part in ("rest", first.pk, second.pk):
            assert any("version" in columns for columns in indexes(f"leaderboards_standing_{part}").values())
    finally:
        with connection.schema_editor(atomic=False) as editor:
            removed.database_forwards("leaderboards", editor, after, before)
    assert not any("version" in columns for columns in indexes("leaderboards_standing_rest").values())
