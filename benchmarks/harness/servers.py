"""Servers of a benchmark's own, for as long as it runs: Valkey with an AOF, PostgreSQL with fsync."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from importlib import import_module
from pathlib import Path

from config.components import redis_urls
from config.local import postgres, valkey

# As a site of a million players would set it up: room for the tables, and no checkpoint every few seconds.
ROOM = {"shared_buffers": "1GB", "max_wal_size": "4GB"}
TABLES = "BENCHMARK_TABLES"  # names the data folder of a PostgreSQL that is migrated already: tests have one


@contextmanager
def servers(folder: Path, fsync: str = "everysec") -> Iterator[None]:
    """Start both, point the settings at them, migrate; stop both at the end."""
    cache = cache_in(folder, fsync)
    redis_child = cache.start()
    tables = os.environ.get(TABLES)
    made = postgres.create(locale="C", data=Path(tables) if tables else None)
    database = replace(made, durable=True, settings=ROOM)
    database_child = database.start()
    try:
        os.environ |= {
            "REDIS_URL": cache.url,
            "CACHE_URL": redis_urls.with_database(cache.url, 1),
            "BROKER_URL": redis_urls.with_database(cache.url, 2),
            "DATABASE_URL": database.url if tables else database.url.rpartition("/")[0] + "/postgres",
            "DATA_DIR": str(folder),
            "SECRET_KEY": "only-for-benchmarks",
            "PAGE_LIMIT": "100000/5",  # of one address: its limit counts every request, and must not be reached
            "READ_LIMIT": "100000/5",  # of one key or address, likewise
            "DJANGO_SETTINGS_MODULE": "config.settings",
            "LOG_LEVEL": "ERROR",
        }
        _set_up()
        yield
    finally:
        database.stop(database_child)
        valkey.stop(redis_child)


def cache_in(folder: Path, fsync: str = "everysec") -> valkey.Valkey:
    """The Valkey whose files lie there: to be started, or to be started again."""
    return valkey.Valkey(valkey.find_binary(), folder / "redis", folder / "r.sock", folder / "r.log", fsync, 16)


def _set_up() -> None:
    """As a server is, with what it loads."""
    from django.core.management import call_command

    import_module("config.wsgi")
    call_command("migrate", verbosity=0)
