"""The squashed migrations: what they make is what the steps made that they replace (docs/contributing.md)."""

import json
import os
import re
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.conf import settings
from django.db import connection
from django.db.migrations.autodetector import MigrationAutodetector
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

from config.local import postgres
from tests.emptying import KEPT

OURS = {"foundation", "accounts", "leaderboards", "likes", "competitions"}
# Names that a column's former name is part of; nothing reads them.
OF_RUN_ID = re.compile(
    r" CONSTRAINT foundation_knownredis_run_id_not_null|(?<=foundation_knownredis_)(run_id|identity)[_0-9a-f]*"
)
LISTS = re.compile(r"(CREATE TABLE \S+ )\((.*)\)(?= |$)", re.DOTALL)


def since_squashed() -> set[tuple[str, str]]:
    """Our migrations that came after those that were squashed."""
    loader = MigrationLoader(None, replace_migrations=False)
    before = {step for each in loader.replacements.values() for step in each.replaces}
    return {each for each in loader.disk_migrations if each[0] in OURS} - before - loader.replacements.keys()


def test_the_squashed_migrations_lead_to_the_state_that_their_steps_led_to() -> None:
    steps, both = MigrationLoader(None, replace_migrations=False), MigrationLoader(None)
    assert {app for app, _ in steps.replacements} == OURS

    stepped = steps.project_state([each.replaces[-1] for each in steps.replacements.values()])
    made = both.project_state(list(both.replacements))

    assert set(made.models) == set(stepped.models)
    assert MigrationAutodetector(stepped, made).changes(both.graph) == {}


def test_a_database_that_stands_between_the_replaced_steps_goes_on_by_them(monkeypatch: pytest.MonkeyPatch) -> None:
    loader = MigrationLoader(None, replace_migrations=False)
    squashed, later = loader.replacements, since_squashed()
    everything = loader.disk_migrations.keys() - loader.replacements.keys() - later

    for one in squashed.values():
        for taken in range(1, len(one.replaces) + 1):
            left = one.replaces[taken:]
            applied = dict.fromkeys(everything - set(left))
            monkeypatch.setattr(MigrationRecorder, "applied_migrations", lambda _, applied=applied: dict(applied))

            executor = MigrationExecutor(connection)
            planned = executor.migration_plan(executor.loader.graph.leaf_nodes())

            executor.loader.check_consistent_history(connection)
            names = [(each.app_label, each.name) for each, _ in planned]
            assert [each for each in names if each not in later] == left
            assert later <= set(names)


@pytest.mark.long
def test_the_squashed_migrations_are_taken_back_whole(tmp_path: Path) -> None:
    assert run(f"sqlite:///{tmp_path}/back.sqlite3", "and-back") == ""


@pytest.mark.long
@pytest.mark.parametrize("first", ["accounts", "competitions"])
def test_whoever_is_in_the_group_admin_invites_whichever_app_migrates_first(first: str, tmp_path: Path) -> None:
    made = json.loads(run(f"sqlite:///{tmp_path}/{first}.sqlite3", "first", first))

    held = {(group, codename) for group, codename, _ in made["rows"]["groups"]}
    assert {("admin", f"{act}_invitation") for act in ("view", "add", "change")} <= held
    assert made["afterwards"] == []


def run(url: str, *how: str) -> str:
    """What the program says, which is to succeed."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.config.migrate_empty", *how],
        cwd=settings.BASE_DIR, env=os.environ | {"DATABASE_URL": url}, capture_output=True, text=True, check=False,
    )  # fmt: skip  # as a table
    assert done.returncode == 0, done.stderr
    return done.stdout


def in_any_order(statements: list[str]) -> list[str]:
    """With the columns and constraints of a table sorted: added later, a column stands last."""
    return sorted(
        LISTS.sub(lambda found: found[1] + str(sorted(re.split(r",\s+(?=[\"a-zA-Z])", found[2].strip()))), each)
        for each in (OF_RUN_ID.sub("", statement) for statement in statements)
    )


def on_sqlite(folder: Path) -> Iterator[Any]:
    for how in ("step-by-step", ""):
        path = folder / f"{how}.sqlite3"
        said = json.loads(run(f"sqlite:///{path}", *how.split()))
        with closing(sqlite3.connect(path)) as database:
            statements = [sql for (sql,) in database.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL")]
        yield said, statements


def on_postgresql(_folder: Path) -> Iterator[Any]:
    server = postgres.create()
    process = server.start()
    try:
        for how in ("step-by-step", ""):
            name = f"sunwi{how}"
            with psycopg.connect(host=str(server.folder), user="postgres", dbname="postgres", autocommit=True) as owner:
                owner.execute(f'CREATE DATABASE "{name}"')
            said = json.loads(run(f"{server.url}{how}", *how.split()))
            dump = subprocess.run(
                [str(server.binaries / "pg_dump"), "-h", str(server.folder), "-U", "postgres", "--schema-only", name],
                capture_output=True,
                text=True,
                check=True,
            )
            lines = [line for line in dump.stdout.splitlines() if not line.startswith(("--", "\\"))]
            yield said, "\n".join(lines).split(";\n")
    finally:
        server.stop(process)


@pytest.mark.long
@pytest.mark.parametrize("server", [pytest.param(on_sqlite, marks=pytest.mark.deep), on_postgresql])
def test_an_empty_database_gets_by_squashed_migrations_what_it_got_by_their_steps(
    server: Callable[[Path], Iterator[Any]], tmp_path: Path
) -> None:
    (stepped, old), (squashed, new) = server(tmp_path)

    assert in_any_order(new) == in_any_order(old)
    assert squashed["rows"] == stepped["rows"]
    assert set(stepped["rows"]["filled"]) == KEPT
    assert {each.split(".")[0] for each in squashed["planned"] if "squashed" in each} == OURS
    assert {each for each in stepped["planned"] if each.split(".")[0] in OURS} == {*map(".".join, since_squashed())}
    assert (stepped["afterwards"], squashed["afterwards"]) == ([], [])
