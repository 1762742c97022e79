"""What surrounds migrations of our tables on PostgreSQL: no timeout of statements, and nobody in their way.

A migration waits for its lock, and all who come after it wait behind it, readers too. Beside a transaction that lasts,
such as a backup's, that would be until the migration gives up (``SQL_LOCK_SECONDS``). So none is begun there.
"""

import sys
import time
from typing import Any

from django.apps import AppConfig, apps
from django.core.management import CommandError
from django.db import connections
from django.db.models.signals import post_migrate, pre_migrate

from foundation import clock
from foundation.needed_apps import SunwiApp

LASTS_SECONDS = 1.0  # a transaction that holds a lock for longer than this is in the way
PATIENCE_SECONDS = 60.0  # for its end; nobody waits behind us meanwhile
LOOKS_EVERY_SECONDS = 0.1

_HOLDERS = (
    "SELECT DISTINCT l.pid, l.virtualtransaction FROM pg_locks l JOIN pg_class c ON c.oid = l.relation"
    " WHERE l.granted AND l.pid <> pg_backend_pid() AND c.relkind IN ('r', 'p') AND c.relname = ANY(%s)"
    " AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())"
)
_WHO = (
    "SELECT string_agg(format('%%s (%%s)', pid, coalesce(nullif(application_name, ''), 'no name')), ', ' ORDER BY pid)"
)
_WHO += " FROM pg_stat_activity WHERE pid = ANY(%s)"


def listen(sender: AppConfig) -> None:
    """Be told before and after each run of ``migrate``; ``sender``: the app that is told once a run."""
    pre_migrate.connect(_before, sender=sender)
    post_migrate.connect(_after, sender=sender)


def _before(using: str, plan: Any = (), **_: Any) -> None:
    if connections[using].vendor == "postgresql":
        refuse_beside_lasting_transactions(using, plan)
        _set_timeouts(using, "SET {} = 0")


def _after(using: str, **_: Any) -> None:
    if connections[using].vendor == "postgresql":
        _set_timeouts(using, "RESET {}")


def refuse_beside_lasting_transactions(using: str, plan: Any, patience: float = PATIENCE_SECONDS) -> None:
    """Wait until no transaction keeps a lock on a table of ours, if ``plan`` has migrations of ours.

    ``plan``: pairs of a migration and whether it is undone, as ``pre_migrate`` hands on. Raises ``CommandError`` after
    ``patience`` seconds. Asks once where nobody holds a lock.
    """
    ours = {each.label: each for each in apps.get_app_configs() if isinstance(each, SunwiApp)}
    if not any(migration.app_label in ours for migration, _ in plan):
        return
    tables = [model._meta.db_table for each in ours.values() for model in each.get_models()]
    deadline, is_told = clock.monotonic() + patience, False
    while lasting := _lasting(using, tables):
        who = _named(using, lasting)
        if clock.monotonic() > deadline:
            raise CommandError(
                f"Session {who} has held locks on tables of Sunwi for {patience:g} seconds or longer. While a migration"
                " waits for a lock, all readers and writers of its table wait too, so none was begun. Run it again"
                " after that session's transaction has ended (a backup's lasts until its end)."
            )
        if not is_told:
            sys.stderr.write(f"Waiting until the transaction of session {who} has ended ...\n")
            is_told = True


def _lasting(using: str, tables: list[str]) -> set[tuple[int, str]]:
    """Which transactions hold a lock on one of the tables for ``LASTS_SECONDS``."""
    begun, lasting = clock.monotonic(), _holders(using, tables)
    while lasting and clock.monotonic() - begun < LASTS_SECONDS:
        time.sleep(LOOKS_EVERY_SECONDS)
        lasting &= _holders(using, tables)
    return lasting


def _holders(using: str, tables: list[str]) -> set[tuple[int, str]]:
    with connections[using].cursor() as cursor:
        cursor.execute(_HOLDERS, [tables])
        return set(cursor.fetchall())


def _named(using: str, holders: set[tuple[int, str]]) -> str:
    with connections[using].cursor() as cursor:
        pids = [pid for pid, _ in holders]
        cursor.execute(_WHO, [pids])
        found = cursor.fetchone()
    return str(found[0] if found and found[0] else ", ".join(map(str, sorted(pids))))


def _set_timeouts(using: str, statement: str) -> None:
    """Of statements, not of locks: requests queue behind a lock that waits."""
    with connections[using].cursor() as cursor:
        for name in ("statement_timeout", "idle_in_transaction_session_timeout"):
            cursor.execute(statement.format(name))
