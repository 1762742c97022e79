"""How SQL is connected to: the database of an address, and on PostgreSQL how long anything there may be waited for.

A process that froze or vanished with a lock must not hold up who waits for it: PostgreSQL ends a transaction that does
nothing for a while, and gives up a lock that was not had in time. The trap: a pooler between refuses such settings at
the start of a connection (SQL_SESSION_SETTINGS=off); they are the role's then, see docs/operations.md.
"""

from typing import Any

import environ
from django.core.exceptions import ImproperlyConfigured

from config.components import secret_files

# Name in PostgreSQL, variable, seconds; 0 is no limit.
TIMEOUTS = (
    ("idle_in_transaction_session_timeout", "SQL_IDLE_SECONDS", 2.0),
    ("lock_timeout", "SQL_LOCK_SECONDS", 2.5),  # longer than the first: who froze is ended before others give up
    ("statement_timeout", "SQL_STATEMENT_SECONDS", 300.0),
)
# Of a host that vanished with its connection; on a socket file they mean nothing.
KEEPALIVES = {
    "keepalives": 1,
    "keepalives_idle": 5,
    "keepalives_interval": 2,
    "keepalives_count": 3,
    "tcp_user_timeout": 10_000,
}


def database(env: environ.Env, url: str) -> dict[str, Any]:
    """Django's settings of the database at ``url``. What its query says wins over what stands here.

    DATABASE_PASSWORD is put in. Raises ``ImproperlyConfigured`` where the address has one, or is SQLite's.
    """
    found: dict[str, Any] = environ.Env.db_url_config(url)
    _give_password(found, secret_files.password_of(env, "DATABASE"))
    options = found.setdefault("OPTIONS", {})
    if found["ENGINE"].endswith("sqlite3"):
        # BEGIN IMMEDIATE is the barrier between writers and settling; see docs/architecture.md.
        options.setdefault("transaction_mode", "IMMEDIATE")
        options.setdefault("timeout", 5)
        options.setdefault("init_command", "PRAGMA journal_mode=WAL;")
    elif found["ENGINE"].endswith("postgresql"):
        found["ENGINE"] = "foundation.postgresql"
        options.setdefault("connect_timeout", 2)
        # What is sent to be prepared is; Django's own statements never are.
        options["prepare_threshold"] = 0 if env.bool("PREPARE_STATEMENTS", default=True) else None
        found["OPTIONS"] = KEEPALIVES | options
        if env.bool("SQL_SESSION_SETTINGS", default=True):
            found["OPTIONS"]["options"] = f"{_session(env)} {options.get('options', '')}".strip()
        found["CONN_MAX_AGE"] = env.int("CONN_MAX_AGE", default=60)
        found["CONN_HEALTH_CHECKS"] = True
    return found


def _give_password(found: dict[str, Any], password: str) -> None:
    if not password:
        return
    if found["ENGINE"].endswith("sqlite3"):
        raise ImproperlyConfigured("DATABASE_PASSWORD is set, and SQLite has no passwords: set DATABASE_URL.")
    if found.get("PASSWORD"):
        raise secret_files.two_passwords("DATABASE")
    found["PASSWORD"] = password


def _session(env: environ.Env) -> str:
    """What a session begins with, as the server's command line has it."""
    seconds = ((name, env.float(variable, default=default)) for name, variable, default in TIMEOUTS)
    return " ".join(f"-c {name}={round(1000 * each)}" for name, each in seconds)
