"""The real servers that tests run on: each process that runs tests has its own, started when a test first asks.

Loaded before Django reads its settings (``-p tests.servers``), which get addresses of servers that are not up yet.
The servers die with their process, however it ends. REDIS_URL and DATABASE_URL, where given, are used instead.
Switches: TEST_REDIS=cluster (three primaries for the boards), TEST_REDIS_SERVER (another binary), TEST_DATABASE=sqlite,
TEST_POSTGRES_LOCALE=icu or en_US.
"""

import atexit
import os
import random
import shutil
import signal
import tempfile
from collections.abc import Callable, Generator
from functools import cache, partial
from pathlib import Path

import pytest
import redis

from config.components import redis_urls
from config.local import child_process, cluster, postgres, valkey
from tests import template

URLS = ("REDIS_URL", "CACHE_URL", "BROKER_URL")
NUMBERS_EACH = 3  # databases of a Redis: boards, page cache and broker


@pytest.hookimpl(wrapper=True)
def pytest_load_initial_conftests() -> Generator[None, object, object]:
    """A wrapper, because pytest-django loads the settings in the same hook."""
    worker = os.environ.get("PYTEST_XDIST_WORKER")
    if worker is None:
        os.environ.setdefault("FAULT_SEED", str(random.SystemRandom().randrange(10**9)))
        signal.signal(signal.SIGTERM, signal.default_int_handler)  # as Ctrl-C: what is below is cleared away
        if "REDIS_URL" in os.environ:
            refuse_used(os.environ["REDIS_URL"])
    else:
        child_process.die_with_parent()
    set_addresses(worker)
    return (yield)


def pytest_report_header() -> str:
    """Where the fault tests' chances come from: given again, it repeats them."""
    return f"FAULT_SEED={os.environ['FAULT_SEED']}"


def pytest_unconfigure() -> None:
    """An xdist worker runs no exit handlers."""
    stop_all()


def set_addresses(worker: str | None) -> None:
    """Where this process's servers will be, or which databases of given servers are its own."""
    os.environ |= {"DATA_DIR": str(folder()), "SECRET_KEY": "only-for-tests", "HTTPS": "off"}
    os.environ |= {
        "SQL_IDLE_SECONDS": "60",
        "SQL_ALONE_SECONDS": "60",
    }  # a test that is rolled back is one transaction, which may rest
    os.environ.pop("STATIC_ROOT", None)
    if "REDIS_URL" not in os.environ or "TEST_OWN_REDIS" in os.environ:
        os.environ |= {"REDIS_URL": f"unix://{folder()}/redis.sock?db=0", "TEST_OWN_REDIS": "yes"}
        for name in ("CACHE_URL", "BROKER_URL"):
            os.environ.pop(name, None)
        if os.environ.get("TEST_REDIS") == "cluster":
            given = os.environ["REDIS_URL"]
            os.environ |= {name: redis_urls.with_database(given, step) for step, name in enumerate(URLS)}
            os.environ["REDIS_URL"] = boards_cluster().url
    elif worker is not None:
        first = NUMBERS_EACH * (int(worker.removeprefix("gw")) + 1)
        given = os.environ["REDIS_URL"]
        for step, name in enumerate(URLS):
            os.environ[name] = redis_urls.with_database(given, first + step)
    if os.environ.get("TEST_DATABASE") == "sqlite":
        os.environ["DATABASE_URL"] = f"sqlite:///{folder()}/db.sqlite3"
    elif "DATABASE_URL" not in os.environ or "TEST_OWN_POSTGRES" in os.environ:
        os.environ |= {"DATABASE_URL": f"postgres://postgres@/{folder()}/sql/sunwi", "TEST_OWN_POSTGRES": "yes"}


@cache
def folder() -> Path:
    """This process's own, in a path that is short enough for sockets. Those of killed processes go."""
    for left in Path("/tmp").glob("sunwi-tests-*-*"):  # noqa: S108 - short, for sockets; nothing is read there
        if not Path("/proc", left.name.split("-")[2]).exists():
            shutil.rmtree(left, ignore_errors=True)
    made = Path(tempfile.mkdtemp(prefix=f"sunwi-tests-{os.getpid()}-", dir="/tmp"))
    made.chmod(0o711)  # PostgreSQL runs as another user where we are root
    return made


@cache
def start_redis() -> None:
    """Start this process's Redis, if it is ours to start and does not run yet."""
    if "TEST_OWN_REDIS" not in os.environ:
        return
    binary = Path(os.environ.get("TEST_REDIS_SERVER") or valkey.find_binary())
    place = folder()
    server = valkey.Valkey(binary, place / "redis", place / "redis.sock", place / "redis.log", "everysec")
    children = [server.start()]
    if os.environ.get("TEST_REDIS") == "cluster":
        (place / "cluster").mkdir(exist_ok=True)
        children += boards_cluster().start()
    _stops.extend(partial(valkey.stop, child) for child in children)


@cache
def boards_cluster() -> cluster.Cluster:
    """The nodes of this process, which are not up yet."""
    binary = Path(os.environ.get("TEST_REDIS_SERVER") or valkey.find_binary())
    return cluster.make(folder() / "cluster", "everysec", replicas=False, binary=binary)


@cache
def start_postgres() -> None:
    """The same for its PostgreSQL, which then has our tables."""
    if "TEST_OWN_POSTGRES" not in os.environ:
        return
    locale = os.environ.get("TEST_POSTGRES_LOCALE", "C")
    server = postgres.create(locale=locale, folder=folder() / "sql", data=template.data_folder())
    child = server.start()
    _stops.append(lambda: server.stop(child))


_stops: list[Callable[[], None]] = []


@atexit.register
def stop_all() -> None:
    """Stop what was started, and clear the folder away."""
    while _stops:
        _stops.pop()()
    if folder.cache_info().currsize:
        shutil.rmtree(folder(), ignore_errors=True)


def refuse_used(url: str) -> None:
    """Each process empties databases of its own in a given Redis; one that holds anything is somebody's."""
    with redis.Redis.from_url(url) as client:
        if used := ", ".join(sorted(client.info("keyspace"))):
            raise pytest.UsageError(f"REDIS_URL names a Redis that is not empty: {url} has {used}. Tests empty it.")
