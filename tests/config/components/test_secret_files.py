"""Secrets in files: read as if they stood in the environment, refused where two differ, and told to nobody."""

import os
import runpy
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from django.core.exceptions import ImproperlyConfigured

from config.components import redis_urls, secret_files
from foundation.mailer import HAS_MAILERS
from foundation.redis.addresses import database_of
from tests.security.front import ROOT

DATABASE = "postgres://app@host:5432/sunwi"
HARD = "p@ss/w:rd#?%$ 가"


@pytest.fixture
def read(tmp_path: Path) -> Any:
    """What the settings are, with files of these contents beside the environment: ``SECRET_KEY_FILE="text"``."""

    def run(**given: str) -> dict[str, Any]:
        environment = {"DATA_DIR": str(tmp_path)}
        for name, content in given.items():
            if name.endswith("_FILE"):
                file = tmp_path / name
                file.write_text(content)
                environment[name] = str(file)
            else:
                environment[name] = content
        with patch.dict(os.environ, environment, clear=True):
            found = runpy.run_path(str(ROOT / "config/settings.py"))
            assert os.environ == environment, "what a file holds is in the environment of every child"
        return found

    return run


def test_each_secret_may_lie_in_a_file_of_one_line(read: Any) -> None:
    found = read(
        SECRET_KEY_FILE="key\n", SECRET_KEY_FALLBACKS_FILE="", ENCRYPTION_KEYS_FILE=f"{'k' * 32}\n",
        DATABASE_URL=DATABASE, DATABASE_PASSWORD_FILE=f"{HARD}\n", REDIS_URL="redis://boards@b:6379/0",
        REDIS_PASSWORD_FILE=HARD, CACHE_URL_FILE="redis://c:6379/0", BROKER_URL="redis://broker@c:6379/1",
        BROKER_PASSWORD_FILE="$dollar", EMAIL_URL_FILE="smtp+tls://u:p@mail:587\n",
    )  # fmt: skip  # as a list

    assert (found["SECRET_KEY"], found["SECRET_KEY_FALLBACKS"]) == ("key", [])
    assert found["ENCRYPTION_KEYS"] == ["k" * 32, "key"]
    assert found["DATABASES"]["default"]["PASSWORD"] == HARD
    assert found["CACHE_URL"] == "redis://c:6379/0"
    assert found["BROKER_URL"] == "redis://broker:%24dollar@c:6379/1"
    smtp = found["MAILERS"]["default"]["OPTIONS"] if HAS_MAILERS else {
        "host": found["EMAIL_HOST"], "password": found["EMAIL_HOST_PASSWORD"],
    }  # fmt: skip  # as a table
    assert (smtp["host"], smtp["password"]) == ("mail", "p")


def test_a_password_of_any_characters_arrives_at_the_driver_and_at_the_broker(read: Any) -> None:
    from kombu import Connection
    from redis import ConnectionPool

    for url in ("redis://user@host:6380/3", "redis://host/3", "rediss://user@[::1]:6379/3", "unix://user@/r.sock?db=3"):
        whole = redis_urls.with_password(url, HARD)
        options = ConnectionPool.from_url(whole).connection_kwargs
        assert (options["password"], options["db"], database_of(whole)) == (HARD, 3, 3)
        assert options.get("username") in ("user", None, "")
        assert redis_urls.has_password(whole)
        assert not redis_urls.has_password(url)
        assert redis_urls.has_password(redis_urls.for_broker(whole))
    with Connection(redis_urls.with_password("redis://user@host:6380/3", HARD)) as broker:
        assert (broker.userid, broker.password, broker.hostname) == ("user", HARD, "host")


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"SECRET_KEY": "a", "SECRET_KEY_FILE": "b"}, "SECRET_KEY and SECRET_KEY_FILE are both set"),
        ({"SECRET_KEY_FILE": "\n"}, "SECRET_KEY_FILE: .* is empty. `make secrets`"),
        ({"SECRET_KEY_FILE": "a\nb\n"}, "SECRET_KEY_FILE: .* more than one line"),
        ({"SECRET_KEY_FILE": "$OTHER"}, "SECRET_KEY_FILE: .* begins with a dollar"),
        ({"DATABASE_URL": "postgres://a:b@h/s", "DATABASE_PASSWORD": "c"}, "DATABASE_URL holds a password, and"),
        ({"DATABASE_PASSWORD": "c"}, "SQLite has no passwords"),
        ({"REDIS_URL": "redis://:b@h/0", "REDIS_PASSWORD_FILE": "c"}, "REDIS_URL holds a password, and"),
        ({"REDIS_URL": "redis://h/0?password=b", "REDIS_PASSWORD_FILE": "c"}, "REDIS_URL holds a password, and"),
        ({"CACHE_PASSWORD_FILE": "c"}, "CACHE_PASSWORD is set and CACHE_URL is not"),
    ],
    ids=lambda value: value[:30] if isinstance(value, str) else "",
)
def test_two_of_a_kind_and_what_is_no_secret_are_refused(read: Any, given: dict[str, str], why: str) -> None:
    rest = {} if {"SECRET_KEY", "SECRET_KEY_FILE"} & given.keys() else {"SECRET_KEY": "x"}

    with pytest.raises(ImproperlyConfigured, match=why):
        read(**rest, **given)


def test_a_file_that_cannot_be_read_is_named_and_what_it_holds_is_not(tmp_path: Path) -> None:
    binary = tmp_path / "binary"
    binary.write_bytes(b"secret\xff")

    for file, why in ((tmp_path / "none", "No such file"), (tmp_path, "Is a directory"), (binary, "not UTF-8")):
        with pytest.raises(ImproperlyConfigured, match=f"SECRET_KEY_FILE: .*{why}") as refused:
            secret_files.with_files({"SECRET_KEY_FILE": str(file)})
        assert "secret" not in str(refused.value).replace("SECRET_KEY_FILE", "").replace(str(tmp_path), "")
        assert refused.value.__cause__ is None


def test_a_file_wins_over_what_a_demo_left(read: Any, tmp_path: Path) -> None:
    (tmp_path / "env").write_text("SECRET_KEY=of-the-demo\n")

    with patch.dict(os.environ):
        environment = {"DATA_DIR": str(tmp_path), "SECRET_KEY_FILE": str(tmp_path / "key")}
        (tmp_path / "key").write_text("of the file\n")
        with patch.dict(os.environ, environment, clear=True):
            assert runpy.run_path(str(ROOT / "config/settings.py"))["SECRET_KEY"] == "of the file"
