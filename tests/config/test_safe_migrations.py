"""New migrations hold no long lock and leave the release before running beside them (docs/contributing.md)."""

import re
from collections.abc import Sequence

import pytest
from django.db import connection
from django.db.migrations.loader import MigrationLoader

from tests.config.migration_rules import broken_rules
from tests.config.test_migrations import since_squashed

Name = tuple[str, str]

# Why these may do what is refused. An entry goes with its migration, when that is squashed.
TOGETHER = "columns are renamed, and everything is stopped for that: decision 0078, before there was a release"
EXCUSED: dict[Name, str] = {
    ("competitions", "0016_scores_judged_are_told"): "an empty column, before there was a release",
    ("competitions", "0017_field_names"): TOGETHER,
    ("leaderboards", "0025_field_names"): TOGETHER,
    ("leaderboards", "0054_divided"): "the parent takes the name in the same transaction, and no row is read for it",
    ("likes", "0005_field_names"): TOGETHER,
}


def statements(name: Name) -> Sequence[str]:
    """What the migration has PostgreSQL do."""
    loader = MigrationLoader(connection, replace_migrations=False)
    state = loader.project_state(name, at_end=False)
    migration = loader.graph.nodes[name]
    with connection.schema_editor(collect_sql=True, atomic=False) as editor:
        migration.apply(state, editor, collect_sql=True)
    return list(editor.collected_sql)


@pytest.mark.django_db
@pytest.mark.skipif(connection.vendor != "postgresql", reason="the statements are PostgreSQL's")
def test_no_new_migration_locks_writers_out_or_trips_the_release_before() -> None:
    broken = {name: [*broken_rules(statements(name))] for name in sorted(since_squashed())}

    assert {name: found for name, found in broken.items() if found and name not in EXCUSED} == {}
    assert [name for name in EXCUSED if not broken.get(name)] == [], "these need no excuse"


# Tables that the release before knows: it deletes their rows itself.
OLD_TABLES = frozenset({"accounts_formeremail"})


@pytest.mark.django_db
def test_the_release_before_can_delete_what_new_tables_refer_to() -> None:
    created = {
        found[1]
        for name in since_squashed()
        for statement in statements(name)
        if (found := re.match(r'CREATE TABLE "(\w+)"', statement))
    }
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT conrelid::regclass::text, conname FROM pg_constraint"
            " WHERE contype = 'f' AND confdeltype = 'a' AND conrelid::regclass::text = ANY(%s)",
            [sorted(created - OLD_TABLES)],
        )
        without = cursor.fetchall()

    assert without == [], "give each key an OnDelete (leaderboards/migrations/_postgresql.py)"


GROWS, SMALL = "leaderboards_submission", "leaderboards_board"


@pytest.mark.parametrize(
    "refused",
    [
        f'CREATE INDEX "i" ON "{GROWS}" ("points");',
        f'CREATE UNIQUE INDEX "i" ON "{GROWS}" ("points");',
        f'ALTER TABLE "{SMALL}" ADD COLUMN "c" integer NOT NULL;',
        f'ALTER TABLE "{SMALL}" ALTER COLUMN "c" DROP DEFAULT;',
        f'ALTER TABLE "{GROWS}" ALTER COLUMN "c" SET NOT NULL;',
        f'ALTER TABLE "{GROWS}" ALTER COLUMN "c" TYPE bigint USING "c"::bigint;',
        f'ALTER TABLE "{GROWS}" ADD CONSTRAINT "k" CHECK ("c" > 0);',
        f'ALTER TABLE "{GROWS}" ADD COLUMN "c" bigint NULL CONSTRAINT "k" REFERENCES "x"("id");',
        f'ALTER TABLE "{SMALL}" RENAME COLUMN "a" TO "b";',
        f'ALTER TABLE "{SMALL}" RENAME TO "b";',
        f'ALTER TABLE "{SMALL}" DROP COLUMN "a" CASCADE;',
        'DROP TABLE "leaderboards_board" CASCADE;',
        "-- THIS OPERATION CANNOT BE WRITTEN AS SQL",
    ],
)
def test_what_locks_or_trips_is_refused(refused: str) -> None:
    assert [*broken_rules([refused])]


@pytest.mark.parametrize(
    "harmless",
    [
        f'CREATE INDEX CONCURRENTLY "i" ON "{GROWS}" ("points");',
        f'CREATE INDEX "i" ON "{SMALL}" ("name");',
        f'ALTER TABLE "{GROWS}" ADD COLUMN "c" integer NULL;',
        f'ALTER TABLE "{GROWS}" ADD COLUMN "c" integer DEFAULT 0 NOT NULL;',
        f'ALTER TABLE "{GROWS}" ADD CONSTRAINT "k" CHECK ("c" > 0) NOT VALID;',
        f'ALTER TABLE "{GROWS}" DROP CONSTRAINT "k";',
    ],
)
def test_what_holds_nobody_up_is_taken(harmless: str) -> None:
    assert [*broken_rules([harmless])] == []


def test_a_table_is_its_own_migrations_own() -> None:
    made = ['CREATE TABLE "new" ("id" bigint NOT NULL PRIMARY KEY);', 'CREATE INDEX "i" ON "new" ("id");']

    assert [*broken_rules(made)] == []
