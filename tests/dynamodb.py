"""Fixtures for tests of boards in DynamoDB: moto's server in a process of its own, and a new table for each test."""

import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.db import connection

from config.local import child_process
from leaderboards.stores.dynamodb.client import forget_clients, make_client
from leaderboards.stores.dynamodb.table import create_table
from tests.ports import free_port

ROOT = Path(__file__).resolve().parents[1]
START_SECONDS = 60
# moto copies the table for each transaction, so it is slower than a table of AWS.
PATIENT = (
    "leaderboards.stores.dynamodb.client.ANSWER_SECONDS",
    "leaderboards.stores.dynamodb.client.READ_SECONDS",
    "leaderboards.stores.dynamodb.reads.READ_SECONDS",
    "leaderboards.stores.dynamodb.writes.READ_SECONDS",
    "leaderboards.services.submit.decide_dynamodb.WRITE_SECONDS",
)
CREDENTIALS = {"AWS_ACCESS_KEY_ID": "tests", "AWS_SECRET_ACCESS_KEY": "tests"}


@pytest.fixture(scope="session")
def moto_address() -> Iterator[str]:
    """The address of moto's server, which runs."""
    address = f"http://127.0.0.1:{(port := free_port())}"
    server = child_process.start([sys.executable, "-m", "tests.moto_server", str(port)], cwd=ROOT)
    until = time.monotonic() + START_SECONDS
    while not _answers(address):
        assert server.poll() is None, "moto's server has ended"
        assert time.monotonic() < until, "moto's server does not start"
        time.sleep(0.05)
    yield address
    child_process.stop(server)


def _answers(address: str) -> bool:
    try:
        with urllib.request.urlopen(f"{address}/moto-api/", timeout=1):
            return True
    except OSError:
        return False


@pytest.fixture
def dynamodb(moto_address: str, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """An empty table of this test, as the settings name it; a client of boto3 to look at it."""
    for name, value in CREDENTIALS.items():
        monkeypatch.setenv(name, value)
    settings.DYNAMODB_ENDPOINT, settings.DYNAMODB_REGION = moto_address, "eu-central-1"
    settings.DYNAMODB_TABLE = "tests"
    for where in PATIENT:
        monkeypatch.setattr(where, 30.0)
    options = connection.settings_dict["OPTIONS"]  # who waits for a lock waits for another's write to moto
    if "options" in options:
        monkeypatch.setitem(options, "options", f"{options['options']} -c lock_timeout=30s")
    forget_clients()
    client = make_client()
    assert create_table()
    yield client
    client.delete_table(TableName="tests")


def empty_table() -> None:
    """Make the table anew: each transaction of moto takes as long as the table is large."""
    make_client().delete_table(TableName="tests")
    create_table()
