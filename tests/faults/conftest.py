"""Fixtures of the fault tests: worlds and a seed; and which of the tests are quick enough for `make test`.

FAULT_SEED, printed at the head of a run, repeats its chances; FAULTS_LONG=1 (`make faults`) asks for the long form.
"""

import os
import random
import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.faults.processes import ROOT
from tests.faults.world import World

HERE = Path(__file__).parent
LONG = os.environ.get("FAULTS_LONG") == "1"
QUICK = ("test_00_short", "test_12_chosen_order")  # all else is for `make check`

MakeWorld = Callable[..., World]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.is_relative_to(HERE):
            item.add_marker(pytest.mark.faults)
            if item.path.stem not in QUICK:
                item.add_marker(pytest.mark.long)


def steps(path: str, *begin: str) -> list[str]:
    """The steps of this file or folder at which a process can be made to die, of each path that is named."""
    files = [ROOT / path] if path.endswith(".py") else (ROOT / path).rglob("*.py")
    every = {step for file in files for step in re.findall(r'failpoint\("([a-z_.]+)"\)', file.read_text())}
    found = [step for step in sorted(every) if step.partition(".")[0] in begin]
    assert {step.partition(".")[0] for step in found} == {*begin}, f"there are no failpoints of {begin} in {path}"
    return found


@pytest.fixture
def seed() -> int:
    """Where this test's chances come from. The head of the run shows it (tests/servers.py)."""
    return int(os.environ["FAULT_SEED"])


@pytest.fixture
def dice(seed: int) -> random.Random:
    return random.Random(seed)


@pytest.fixture
def make_world() -> Iterator[MakeWorld]:
    """Makes worlds: `make_world(fsync="always")`. Both servers are up, the tables are there, no boards yet."""
    with ExitStack() as worlds:
        yield lambda fsync="always": worlds.enter_context(World(fsync))


@pytest.fixture(scope="module")
def shared_world() -> Iterator[World]:
    """One for a module, whose Redis writes everything down: what one test leaves behind must not trouble the next."""
    with World() as world:
        yield world


@pytest.fixture
def world(shared_world: World) -> World:
    """The same, with boards and histories of this test's own."""
    shared_world.begin()
    return shared_world
