"""Settings read their environment once, so each test reads them in a process of its own."""

import os
import subprocess
import sys
from pathlib import Path

from django.conf import settings

ROOT = Path(settings.BASE_DIR)


def manage(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """`manage.py` with nothing in the environment but what is given."""
    clean = {"PATH": os.environ["PATH"], **environment}
    command = [sys.executable, "manage.py", *arguments]
    return subprocess.run(command, cwd=ROOT, env=clean, capture_output=True, text=True, check=False)


def read(name: str, **environment: str) -> str:
    done = manage("shell", "-v0", "-c", f"from django.conf import settings; print(settings.{name})", **environment)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_without_a_secret_key_nothing_starts_and_the_reason_is_said(tmp_path: Path) -> None:
    done = manage("check", DATA_DIR=str(tmp_path))

    assert done.returncode != 0
    assert "SECRET_KEY is not set" in done.stderr
    assert "make demo" in done.stderr


def test_a_demos_settings_fill_in_what_the_environment_leaves_out(tmp_path: Path) -> None:
    (tmp_path / "env").write_text("SECRET_KEY=of-the-demo\nREDIS_URL=unix:///demo/redis.sock?db=0\n")

    assert read("SECRET_KEY", DATA_DIR=str(tmp_path)) == "of-the-demo"
    assert read("REDIS_URL", DATA_DIR=str(tmp_path), REDIS_URL="redis://mine:6379/0") == "redis://mine:6379/0"


def test_the_page_cache_may_not_live_in_the_boards_database(tmp_path: Path) -> None:
    url = "redis://localhost:6379/0"

    done = manage("check", DATA_DIR=str(tmp_path), SECRET_KEY="x", REDIS_URL=url, CACHE_URL=url)

    assert done.returncode != 0
    assert "CACHE_URL names the same Redis database as REDIS_URL" in done.stderr


def test_cache_and_broker_are_neighbours_of_the_boards_unless_told_otherwise(tmp_path: Path) -> None:
    environment = {"DATA_DIR": str(tmp_path), "SECRET_KEY": "x", "REDIS_URL": "redis://localhost:6379/4"}

    assert read("CACHE_URL", **environment) == "redis://localhost:6379/5"
    assert read("BROKER_URL", **environment) == "redis://localhost:6379/6"


def test_limits_come_from_the_environment_and_what_is_none_is_refused_at_once(tmp_path: Path) -> None:
    environment = {"DATA_DIR": str(tmp_path), "SECRET_KEY": "x", "SUBMIT_LIMIT": "7/3", "READ_LIMIT": "0"}

    assert read("RATE_LIMITS['write']", **environment) == "7/3"
    assert read("RATE_LIMITS['read']", **environment) == "None"
    done = manage("check", **environment | {"LOGIN_LIMIT": "ten"})
    assert done.returncode != 0
    assert "LOGIN_LIMIT: A limit reads like 100/10" in done.stderr


def test_sqlite_takes_its_write_lock_at_the_start_of_a_transaction(tmp_path: Path) -> None:
    options = read("DATABASES['default']['OPTIONS']", DATA_DIR=str(tmp_path), SECRET_KEY="x")

    assert "'transaction_mode': 'IMMEDIATE'" in options
    assert "'timeout': 5" in options
    assert "journal_mode=WAL" in options


def test_production_settings_pass_djangos_own_deployment_check(tmp_path: Path) -> None:
    done = manage(
        "check", "--deploy", "--fail-level", "WARNING",
        DATA_DIR=str(tmp_path), SECRET_KEY="k3yW1thM0reThanFiftyCharactersAndManyDifferentOnes-_0123456789",
        ALLOWED_HOSTS="boards.example",
    )  # fmt: skip  # as a table

    assert done.returncode == 0, done.stderr


def test_nothing_is_debugged_and_everything_wants_tls_unless_told_otherwise(tmp_path: Path) -> None:
    environment = {"DATA_DIR": str(tmp_path), "SECRET_KEY": "x"}

    assert read("DEBUG", **environment) == "False"
    assert read("SECURE_SSL_REDIRECT", **environment) == "True"
    assert read("SESSION_COOKIE_NAME", **environment) == "__Host-sessionid"
