"""The real servers that tests run on, started before Django reads its settings (`-p tests.servers`).

They belong to the pytest process and die with it. With xdist the controller starts them; each worker
gets database numbers of its own. REDIS_URL and DATABASE_URL, where given, are used instead.
Switches: TEST_REDIS_SERVER (another binary), TEST_DATABASE=sqlite, TEST_POSTGRES_LOCALE=icu or en_US.
"""

import atexit
import os
import random
import shutil
import signal
import tempfile
from collections.abc import Generator
from pathlib import Path

import pytest
import redis

from config import addresses
from config.local import postgres, valkey

DATABASES = 64  # three for each of up to 20 workers, and three for a run without them
NUMBERS_EACH = 3


@pytest.hookimpl(wrapper=True)
def pytest_load_initial_conftests() -> Generator[None, object, object]:
    """A wrapper, because pytest-django loads the settings in the same hook."""
    if "PYTEST_XDIST_WORKER" not in os.environ:
        os.environ.setdefault("FAULT_SEED", str(random.SystemRandom().randrange(10**9)))
        start_servers()
    set_addresses(os.environ.get("PYTEST_XDIST_WORKER"))
    return (yield)


def pytest_report_header() -> str:
    """Where the fault tests' chances come from: given again, it repeats them."""
    return f"FAULT_SEED={os.environ['FAULT_SEED']}"


def start_servers() -> None:
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # as Ctrl-C: what is below is cleared away
    folder = Path(tempfile.mkdtemp(prefix="sunwi-tests-", dir="/tmp"))  # short: sockets
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    os.environ |= {"DATA_DIR": str(folder), "SECRET_KEY": "only-for-tests", "HTTPS": "off"}
    os.environ.pop("STATIC_ROOT", None)
    if "REDIS_URL" in os.environ:
        refuse_used(os.environ["REDIS_URL"])
    else:
        os.environ["REDIS_URL"] = start_valkey(folder)
        for name in ("CACHE_URL", "BROKER_URL"):
            os.environ.pop(name, None)
    if os.environ.get("TEST_DATABASE") == "sqlite":
        os.environ["DATABASE_URL"] = f"sqlite:///{folder}/db.sqlite3"
    elif "DATABASE_URL" not in os.environ:
        os.environ |= {"DATABASE_URL": start_postgres(), "TEST_OWN_POSTGRES": "yes"}


def start_valkey(folder: Path) -> str:
    binary = Path(os.environ.get("TEST_REDIS_SERVER") or valkey.find_binary())
    server = valkey.Valkey(binary, folder / "redis", folder / "redis.sock", folder / "redis.log", "everysec", DATABASES)
    child = server.start()
    atexit.register(valkey.stop, child)
    return server.url


def start_postgres() -> str:
    server = postgres.create(locale=os.environ.get("TEST_POSTGRES_LOCALE", "C"))
    child = server.start()
    atexit.register(server.stop, child)
    return server.url


def refuse_used(url: str) -> None:
    """Tests empty the databases they use, so one that holds anything is somebody's."""
    with redis.Redis.from_url(url) as client:
        if client.dbsize():
            raise pytest.UsageError(f"REDIS_URL names a database that is not empty: {url}. Tests would empty it.")


def set_addresses(worker: str | None) -> None:
    """Boards, page cache and broker: three neighbouring numbers for each worker."""
    base = os.environ.setdefault("TEST_REDIS_BASE", os.environ["REDIS_URL"])
    if worker is None:
        return
    first = NUMBERS_EACH * (int(worker.removeprefix("gw")) + 1)
    for step, name in enumerate(("REDIS_URL", "CACHE_URL", "BROKER_URL")):
        os.environ[name] = addresses.with_database(base, first + step)
