"""Whether a connection still stands: mostly without asking the server, and never wrong about one that it has closed."""

import psycopg
import pytest
from django.db import connection

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif("connection.vendor != 'postgresql'", reason="SQLite has no connection that could be lost"),
]

IS_USABLE = "django.db.backends.postgresql.base.DatabaseWrapper.is_usable"


@pytest.fixture(autouse=True)
def _kept_and_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a server: connections outlive a request, and each request looks at its own first. One is open."""
    monkeypatch.setitem(connection.settings_dict, "CONN_MAX_AGE", 60)
    monkeypatch.setitem(connection.settings_dict, "CONN_HEALTH_CHECKS", True)
    connection.close()
    assert ask() == 7


def ask() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 7")
        return int(cursor.fetchone()[0])


def is_opened_anew() -> bool:
    """Whether the next request has another connection than the last; it works either way."""
    begun = connection.connection
    connection.close_if_unusable_or_obsolete()
    assert ask() == 7
    return connection.connection is not begun


def test_a_connection_that_rests_is_used_without_asking(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(IS_USABLE, lambda _: pytest.fail("asked"))

    assert not is_opened_anew()


def test_one_that_the_server_has_ended_is_opened_anew_for_the_next_request() -> None:
    settings = connection.settings_dict
    dsn = psycopg.conninfo.make_conninfo(dbname=settings["NAME"], user=settings["USER"], host=settings["HOST"])
    with psycopg.connect(dsn, autocommit=True) as other:
        other.execute(
            "SELECT pg_terminate_backend(pid, 10_000) FROM pg_stat_activity"
            " WHERE pid <> pg_backend_pid() AND datname = current_database()"
        )

    assert is_opened_anew()


def test_after_an_error_the_server_itself_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(IS_USABLE, lambda _: False)

    connection.errors_occurred = True

    assert is_opened_anew()
