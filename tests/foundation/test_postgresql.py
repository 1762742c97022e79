"""Whether a connection still stands: mostly without asking the server, and never wrong about one that it has closed."""

import psycopg
import pytest
from django.db import connection

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif("connection.vendor != 'postgresql'", reason="SQLite has no connection that could be lost"),
]


@pytest.fixture(autouse=True)
def _kept_and_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a server: connections outlive a request, and each request looks at its own first."""
    monkeypatch.setitem(connection.settings_dict, "CONN_MAX_AGE", 60)
    monkeypatch.setitem(connection.settings_dict, "CONN_HEALTH_CHECKS", True)
    connection.close()


def ask() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 7")
        return int(cursor.fetchone()[0])


def begin_a_request() -> None:
    connection.close_if_unusable_or_obsolete()


def end_all_others() -> None:
    with psycopg.connect(_dsn(), autocommit=True) as other:
        other.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE pid <> pg_backend_pid() AND datname = current_database()"
        )


def _dsn() -> str:
    settings = connection.settings_dict
    return psycopg.conninfo.make_conninfo(dbname=settings["NAME"], user=settings["USER"], host=settings["HOST"])


def test_a_connection_that_rests_is_used_without_asking(monkeypatch: pytest.MonkeyPatch) -> None:
    assert ask() == 7
    monkeypatch.setattr("django.db.backends.postgresql.base.DatabaseWrapper.is_usable", lambda _: pytest.fail("asked"))

    begin_a_request()

    assert ask() == 7


def test_one_that_the_server_has_ended_is_opened_anew_for_the_next_request() -> None:
    assert ask() == 7
    begun = connection.connection

    end_all_others()
    begin_a_request()

    assert ask() == 7
    assert connection.connection is not begun


def test_after_an_error_the_server_itself_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    assert ask() == 7
    begun = connection.connection
    monkeypatch.setattr("django.db.backends.postgresql.base.DatabaseWrapper.is_usable", lambda _: False)

    connection.errors_occurred = True
    begin_a_request()

    assert ask() == 7
    assert connection.connection is not begun
