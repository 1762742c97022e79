"""Settings read their environment as they are run, so each test runs them with one of its own."""

import os
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

ROOT = Path(settings.BASE_DIR)
KEY = "k3yW1thM0reThanFiftyCharactersAndManyDifferentOnes-_0123456789"
BOARDS = "redis://localhost:6379/4"


@pytest.fixture
def read(tmp_path: Path) -> Any:
    """What the settings are, with nothing in the environment but what is given and an empty folder."""

    def run(**environment: str) -> dict[str, Any]:
        with patch.dict(os.environ, {"DATA_DIR": str(tmp_path), **environment}, clear=True):
            return runpy.run_path(str(ROOT / "config/settings.py"))

    return run


def test_by_themselves_they_debug_nothing_want_tls_and_put_cache_and_broker_beside_the_boards(read: Any) -> None:
    found = read(SECRET_KEY="x", REDIS_URL=BOARDS)

    assert (found["DEBUG"], found["SECURE_SSL_REDIRECT"]) == (False, True)
    assert found["SESSION_COOKIE_NAME"] == "__Host-sessionid"
    assert found["CACHE_URL"] == "redis://localhost:6379/5"
    assert found["BROKER_URL"] == "redis://localhost:6379/6"


def test_sqlite_takes_its_write_lock_at_the_start_of_a_transaction(read: Any) -> None:
    assert read(SECRET_KEY="x")["DATABASES"]["default"]["OPTIONS"] == {
        "transaction_mode": "IMMEDIATE",
        "timeout": 5,
        "init_command": "PRAGMA journal_mode=WAL;",
    }


def test_a_demos_settings_fill_in_what_the_environment_leaves_out(read: Any, tmp_path: Path) -> None:
    (tmp_path / "env").write_text("SECRET_KEY=of-the-demo\nREDIS_URL=unix:///demo/redis.sock?db=0\n")

    assert read()["REDIS_URL"] == "unix:///demo/redis.sock?db=0"
    assert read(REDIS_URL=BOARDS)["REDIS_URL"] == BOARDS
    assert read(REDIS_URL=BOARDS)["SECRET_KEY"] == "of-the-demo"


def test_limits_come_from_the_environment(read: Any) -> None:
    limits = read(SECRET_KEY="x", SUBMIT_LIMIT="7/3", READ_LIMIT="0")["RATE_LIMITS"]

    assert (str(limits["write"]), limits["read"]) == ("7/3", None)


@pytest.mark.parametrize(
    ("environment", "why"),
    [
        ({}, "SECRET_KEY is not set.*make demo"),
        ({"REDIS_URL": BOARDS, "CACHE_URL": BOARDS}, "CACHE_URL names the same Redis database as REDIS_URL"),
        ({"LOGIN_LIMIT": "ten"}, "LOGIN_LIMIT: A limit reads like 100/10"),
    ],
)
def test_what_is_missing_or_makes_no_sense_is_refused_at_once(read: Any, environment: dict[str, str], why: str) -> None:
    with pytest.raises(ImproperlyConfigured, match=why):
        read(**({"SECRET_KEY": "x"} | environment if environment else {}))


@pytest.mark.long
@pytest.mark.parametrize(("key", "status", "said"), [(KEY, 0, "0 silenced"), ("", 1, "SECRET_KEY is not set")])
def test_production_settings_pass_djangos_own_deployment_check(
    tmp_path: Path, key: str, status: int, said: str
) -> None:
    environment = {"DATA_DIR": str(tmp_path), "SECRET_KEY": key, "ALLOWED_HOSTS": "boards.example"}

    done = subprocess.run(
        [sys.executable, "manage.py", "check", "--deploy", "--fail-level", "WARNING"],
        cwd=ROOT, env={"PATH": os.environ["PATH"], **environment}, capture_output=True, text=True, check=False,
    )  # fmt: skip  # as a table

    assert done.returncode == status, done.stderr
    assert said in done.stdout + done.stderr
