"""A broker of its own for tests that kill it, or look at what it gives out."""

import shutil
from collections.abc import Iterator

import pytest

from tests.faults.servers import RedisServer, new_redis, temporary_folder


@pytest.fixture
def broker() -> Iterator[RedisServer]:
    folder = temporary_folder()
    server = new_redis(folder, "no")
    server.start()
    yield server
    server.end()
    shutil.rmtree(folder)
