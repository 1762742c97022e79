"""Fixtures of the fault tests: worlds, copied from one database that was migrated once, and a seed.

FAULT_SEED, printed at the head of a run, repeats its chances; FAULTS_LONG=1 (`make faults`) asks for the long form.
"""

import os
import random
import shutil
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest

from tests.faults import chores
from tests.faults.servers import SqlServer, copy_of, new_redis, new_sql, temporary_folder
from tests.faults.world import World

HERE = Path(__file__).parent
LONG = os.environ.get("FAULTS_LONG") == "1"

MakeWorld = Callable[..., World]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.is_relative_to(HERE):
            item.add_marker(pytest.mark.faults)


@pytest.fixture
def seed() -> int:
    """Where this test's chances come from. The head of the run shows it (tests/servers.py)."""
    return int(os.environ["FAULT_SEED"])


@pytest.fixture
def dice(seed: int) -> random.Random:
    return random.Random(seed)


@pytest.fixture(scope="session")
def _migrated() -> Iterator[SqlServer]:
    """A PostgreSQL with our tables, shut down in order, to be copied."""
    sql = new_sql()
    sql.start()
    with psycopg.connect(host=str(sql.made.folder), user="postgres", dbname="postgres", autocommit=True) as connection:
        connection.execute("CREATE DATABASE sunwi")
    folder = temporary_folder()
    world = World(folder, new_redis(folder, "everysec"), sql)
    world.call(chores.migrate)
    sql.process.send_signal(signal.SIGINT)
    sql.process.wait()
    sql._process = None
    yield sql
    world._nurseries.popitem()[1].end()
    shutil.rmtree(folder, ignore_errors=True)
    shutil.rmtree(sql.made.folder, ignore_errors=True)


@contextmanager
def _maker(migrated: SqlServer) -> Iterator[MakeWorld]:
    worlds: list[World] = []

    def make(fsync: str = "always") -> World:
        folder = temporary_folder()
        world = World(folder, new_redis(folder, fsync), copy_of(migrated))
        worlds.append(world)
        world.redis.start()
        world.sql.start()
        return world

    yield make
    for world in worlds:
        world.end()


@pytest.fixture
def make_world(_migrated: SqlServer) -> Iterator[MakeWorld]:
    """Makes worlds: `make_world(fsync="always")`. Both servers are up, the tables are there, no boards yet."""
    with _maker(_migrated) as make:
        yield make


@pytest.fixture(scope="module")
def make_lasting_world(_migrated: SqlServer) -> Iterator[MakeWorld]:
    """The same, for worlds that all tests of a module share."""
    with _maker(_migrated) as make:
        yield make


@pytest.fixture
def world(make_world: MakeWorld) -> World:
    """A world whose Redis writes everything down before it answers."""
    return make_world()
