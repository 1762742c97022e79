"""The column of folded names comes without holding up whoever writes players."""

from io import StringIO

import pytest
from django.core.management import call_command
from django.db import connection

from leaderboards.migrations._concurrently import AddIndexBesideWriters

pytestmark = pytest.mark.django_db(transaction=True)
INDEXES = ("player_folded", "player_fold_due")


@pytest.fixture(autouse=True)
def _on_postgresql(transactional_db: None) -> None:
    if connection.vendor != "postgresql":
        pytest.skip("SQLite has one writer anyway")


def sql_of(migration: str) -> str:
    told = StringIO()
    call_command("sqlmigrate", "leaderboards", migration, stdout=told)
    return told.getvalue()


def indexes(*names: str) -> set[str]:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT c.relname FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid"
            " WHERE i.indisvalid AND c.relname = ANY(%s)",
            [list(names or INDEXES)],
        )
        return {name for (name,) in cursor.fetchall()}


def test_the_column_is_empty_so_no_row_is_written_and_indexes_are_made_beside_writers() -> None:
    column, made = sql_of("0026"), sql_of("0027")

    assert 'ADD COLUMN "folded_name" varchar(100) COLLATE "C" NULL' in column
    assert "DEFAULT" not in column
    assert "UPDATE" not in column
    assert made.count("CREATE INDEX CONCURRENTLY") == len(INDEXES)
    assert "BEGIN" not in made
    assert indexes() == set(INDEXES)


def test_what_a_try_that_was_ended_left_is_made_anew_and_time_limits_are_as_before() -> None:
    from django.db.migrations.loader import MigrationLoader

    loader = MigrationLoader(connection)
    migration = loader.get_migration("leaderboards", "0027_folded_name_indexes")
    before = loader.project_state(("leaderboards", "0026_folded_name"))
    with connection.cursor() as cursor:
        cursor.execute("SHOW statement_timeout")
        limit = cursor.fetchone()
        cursor.execute("UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'player_folded'::regclass")
    assert indexes() == {"player_fold_due"}

    with connection.schema_editor(atomic=False) as editor:
        migration.apply(before, editor)

    with connection.cursor() as cursor:
        cursor.execute("DROP INDEX player_to_fold")  # which the migration after it drops
    assert all(isinstance(operation, AddIndexBesideWriters) for operation in migration.operations)
    assert indexes() == set(INDEXES)
    with connection.cursor() as cursor:
        cursor.execute("SHOW statement_timeout")
        assert cursor.fetchone() == limit


def test_the_index_of_due_names_is_replaced_beside_writers_and_the_way_back_makes_the_one_before() -> None:
    from django.db.migrations.loader import MigrationLoader

    loader = MigrationLoader(connection)
    migration = loader.get_migration("leaderboards", "0029_fold_due_index")
    before = loader.project_state(("leaderboards", "0028_folded_from"))
    made = sql_of("0029")

    assert "CREATE INDEX CONCURRENTLY" in made
    assert 'DROP INDEX CONCURRENTLY IF EXISTS "player_to_fold"' in made
    assert "DEFAULT" not in sql_of("0028")
    with connection.schema_editor(atomic=False) as editor:
        migration.unapply(before.clone(), editor)
    assert indexes("player_to_fold", "player_fold_due") == {"player_to_fold"}
    with connection.schema_editor(atomic=False) as editor:
        migration.apply(before.clone(), editor)
    assert indexes("player_to_fold", "player_fold_due") == {"player_fold_due"}
