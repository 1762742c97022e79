"""The setting DATABASES, with timeouts for PostgreSQL.

A process that froze or died while it holds a lock must not block others: PostgreSQL ends idle transactions, and waiting
for a lock times out. The trap: connection poolers refuse such settings at the start of a connection; then set
SQL_SESSION_SETTINGS=off and set them on the role (docs/operations/deploy.md).
"""

from typing import Any

import environ
from django.core.exceptions import ImproperlyConfigured

from config.components import secret_files

# PostgreSQL's name, environment variable, default in seconds; 0 is no limit.
TIMEOUTS = (
    ("idle_in_transaction_session_timeout", "SQL_IDLE_SECONDS", 2.0),
    ("lock_timeout", "SQL_LOCK_SECONDS", 2.5),  # longer than the first: a frozen process is ended before others give up
    ("statement_timeout", "SQL_STATEMENT_SECONDS", 300.0),
)
# To detect a host that vanished; without effect on a Unix socket.
KEEPALIVES = {
    "keepalives": 1,
    "keepalives_idle": 5,
    "keepalives_interval": 2,
    "keepalives_count": 3,
    "tcp_user_timeout": 10_000,
}


def database(env: environ.Env, url: str) -> dict[str, Any]:
    """Django's settings of the database at ``url``. Options in its query override those here.

    DATABASE_PASSWORD is added. Raises ``ImproperlyConfigured`` if the URL has a password too, or is SQLite's.
    """
    config: dict[str, Any] = environ.Env.db_url_config(url)
    _add_password(config, secret_files.password_of(env, "DATABASE"))
    options = config.setdefault("OPTIONS", {})
    if config["ENGINE"].endswith("sqlite3"):
        # BEGIN IMMEDIATE is the barrier between writers and resyncs; see docs/architecture.md.
        options.setdefault("transaction_mode", "IMMEDIATE")
        options.setdefault("timeout", 5)
        options.setdefault("init_command", "PRAGMA journal_mode=WAL;")
    elif config["ENGINE"].endswith("postgresql"):
        config["ENGINE"] = "foundation.postgresql"
        options.setdefault("connect_timeout", 2)
        # Only statements that ask for it are prepared; Django's own never are.
        options["prepare_threshold"] = 0 if env.bool("PREPARE_STATEMENTS", default=True) else None
        config["OPTIONS"] = KEEPALIVES | options
        if env.bool("SQL_SESSION_SETTINGS", default=True):
            config["OPTIONS"]["options"] = f"{_session(env)} {options.get('options', '')}".strip()
        config["CONN_MAX_AGE"] = env.int("CONN_MAX_AGE", default=60)
        config["CONN_HEALTH_CHECKS"] = True
    return config


def _add_password(config: dict[str, Any], password: str) -> None:
    if not password:
        return
    if config["ENGINE"].endswith("sqlite3"):
        raise ImproperlyConfigured("DATABASE_PASSWORD is set, and SQLite has no passwords: set DATABASE_URL.")
    if config.get("PASSWORD"):
        raise secret_files.two_passwords("DATABASE")
    config["PASSWORD"] = password


def _session(env: environ.Env) -> str:
    """The session settings, as options of the server's command line."""
    seconds = ((name, env.float(variable, default=default)) for name, variable, default in TIMEOUTS)
    return " ".join(f"-c {name}={round(1000 * each)}" for name, each in seconds)
