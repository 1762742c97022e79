"""A program: gives the empty database in DATABASE_URL its tables, and prints what came of it as JSON.

With the argument ``step-by-step`` it takes the steps that were squashed, one after the other, and then forgets that
there are squashed ones: as a database that was made before them. With ``first APP`` that app migrates first. With
``and-back`` it takes them all back, and fails with the names of our tables that are left.
"""

import json
import sys
from typing import Any

import django
from django.apps import apps
from django.core.management import call_command
from django.core.management.sql import emit_post_migrate_signal
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader

OURS = ("foundation", "leaderboards", "likes", "competitions", "accounts")  # each needs those before it
# These need each other's middle, which the graph cannot say: see leaderboards.0013.
BEFORE_GROUPS = [("likes", "0003_settled_as_boards_are"), ("competitions", "0005_names")]


def step_by_step() -> None:
    executor = MigrationExecutor(connection)
    squashed = executor.loader.replacements
    for targets in (BEFORE_GROUPS, [each.replaces[-1] for each in squashed.values()]):
        executor.loader = MigrationLoader(connection, replace_migrations=False)
        executor.migrate(targets)
    emit_post_migrate_signal(0, interactive=False, db="default")
    for app, name in squashed:
        executor.recorder.record_unapplied(app, name)


def back() -> list[str]:
    """Take all our migrations back, and say which of our tables are left."""
    for app in reversed(OURS):
        call_command("migrate", app, "zero", verbosity=0)
    return [each for each in connection.introspection.table_names() if each.startswith(OURS)]


def planned() -> list[str]:
    """What `migrate` would still do."""
    executor = MigrationExecutor(connection)
    return [str(each) for each, _ in executor.migration_plan(executor.loader.graph.leaf_nodes())]


def rows() -> dict[str, list[Any]]:
    """All that the tables hold, without numbers; of most only whether they hold anything."""
    permissions = apps.get_model("auth", "Permission").objects.values_list(
        "content_type__app_label", "codename", "name"
    )
    groups = apps.get_model("auth", "Group").objects.values_list("name", "permissions__codename", "permissions__name")
    with connection.cursor() as cursor:
        filled = []
        for table in connection.introspection.table_names(cursor):
            cursor.execute(f'SELECT count(*) FROM "{table}"')  # noqa: S608 - names of our own tables
            filled += [table] if cursor.fetchone()[0] else []
    return {"filled": sorted(filled), "permissions": sorted(permissions), "groups": sorted(groups)}


if __name__ == "__main__":
    django.setup()
    if sys.argv[1:] == ["step-by-step"]:
        step_by_step()
    if sys.argv[1:] == ["and-back"]:
        call_command("migrate", verbosity=0)
        sys.exit(", ".join(back()) or 0)
    if sys.argv[1:2] == ["first"]:
        call_command("migrate", sys.argv[2], verbosity=0)
    left = planned()
    call_command("migrate", verbosity=0)
    found = {"planned": left, "afterwards": planned(), "rows": rows()}
    print(json.dumps(found))
