"""Statements sent one behind the other; and connections: whether one still stands, mostly without asking."""

import gc
import threading
import time
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
import pytest
from django.core.management import call_command
from django.db import DataError, IntegrityError, OperationalError, connection, transaction
from django.db.models.signals import pre_migrate

from foundation.db.pipeline import pipelined
from foundation.db.resilience import is_busy, long_transaction
from foundation.models import KnownRedis

pytestmark = pytest.mark.django_db(transaction=True)
only_postgresql = pytest.mark.skipif("connection.vendor != 'postgresql'", reason="SQLite answers each at once")

_INSERT = "INSERT INTO foundation_knownredis (identity, known_since) VALUES (%s, %s)"
_COUNT = "SELECT count(*) FROM foundation_knownredis WHERE identity = %s"
IS_USABLE = "django.db.backends.postgresql.base.DatabaseWrapper.is_usable"
NOON = "2026-03-04 12:00:00+00:00"


def test_each_sees_what_those_before_it_did_and_is_answered_when_it_is_waited_for() -> None:
    with transaction.atomic(), pipelined() as statements:
        before = statements.execute(_COUNT, ["a"])
        written = statements.execute(_INSERT, ["a", NOON])
        statements.wait()
        in_time = written.rowcount
        after = statements.execute(_COUNT, ["a"])

    assert (before.fetchone(), in_time, after.fetchone()) == ((0,), 1, (1,))
    assert KnownRedis.objects.filter(identity="a").exists()


@pytest.mark.parametrize(("names", "commit"), [("aab", False), ("aa", True)])
def test_one_that_is_refused_takes_the_whole_transaction_with_it(names: str, commit: bool) -> None:
    def insert() -> None:
        with transaction.atomic(), pipelined() as statements:
            for identity in names:
                statements.execute(_INSERT, [identity, NOON])
            if commit:
                statements.commit()

    with pytest.raises(IntegrityError):
        insert()

    assert KnownRedis.objects.count() == 0


@only_postgresql
def test_the_connection_goes_on_after_a_refusal() -> None:
    for _ in range(2):
        with pytest.raises(DataError), transaction.atomic(), pipelined() as statements:
            statements.execute("SELECT %s::int", ["none"])
    with transaction.atomic(), pipelined() as statements:
        found = statements.execute("SELECT %s::int + 1", [1])

    assert found.fetchone() == (2,)


@only_postgresql
def test_the_last_of_them_ends_the_transaction_in_the_same_trip_but_not_one_that_another_has_begun() -> None:
    with transaction.atomic():
        with pipelined() as statements:
            statements.execute(_INSERT, ["b", NOON])
            statements.commit()
        with connection.copy().temporary_connection() as other:
            other.execute(_COUNT, ["b"])
            assert other.fetchone() == (1,)
    with transaction.atomic():
        with transaction.atomic(), pipelined() as statements:
            statements.execute(_INSERT, ["a", NOON])
            statements.commit()
        transaction.set_rollback(True)

    assert KnownRedis.objects.values_list("identity").get() == ("b",)


@pytest.fixture
def kept_and_checked(monkeypatch: pytest.MonkeyPatch) -> None:
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


@only_postgresql
@pytest.mark.usefixtures("kept_and_checked")
def test_one_that_the_server_has_ended_is_opened_anew_for_the_next_request() -> None:
    settings = connection.settings_dict
    dsn = psycopg.conninfo.make_conninfo(dbname=settings["NAME"], user=settings["USER"], host=settings["HOST"])
    with psycopg.connect(dsn, autocommit=True) as other:
        other.execute(
            "SELECT pg_terminate_backend(pid, 10_000) FROM pg_stat_activity"
            " WHERE pid <> pg_backend_pid() AND datname = current_database()"
        )

    assert is_opened_anew()


@only_postgresql
@pytest.mark.usefixtures("kept_and_checked")
def test_a_connection_that_rests_is_used_without_asking_and_after_an_error_the_server_is_asked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(IS_USABLE, lambda _: False)
    rested = is_opened_anew()

    connection.errors_occurred = True

    assert (rested, is_opened_anew()) == (False, True)


@only_postgresql
def test_a_thread_that_ends_closes_its_connection_and_no_other() -> None:
    opened: list[psycopg.Connection[Any]] = []

    def ask() -> None:
        connection.ensure_connection()
        opened.append(connection.connection)

    ask()
    gc.disable()  # the collector would close it some time
    try:
        thread = threading.Thread(target=ask)
        thread.start()
        thread.join()
    finally:
        gc.enable()

    mine, theirs = opened
    assert (mine.closed, theirs.closed) == (False, True)


def shown(name: str) -> str:
    with connection.cursor() as cursor:
        cursor.execute(f"SHOW {name}")
        return str(cursor.fetchone()[0])


@only_postgresql
def test_no_wait_is_without_end_but_where_the_work_may_take_long() -> None:
    assert (shown("lock_timeout"), shown("statement_timeout")) == ("2500ms", "5min")
    with transaction.atomic():
        with long_transaction():
            within = shown("statement_timeout")
        to_the_end = shown("statement_timeout")

    assert (within, to_the_end, shown("statement_timeout")) == ("1h", "1h", "5min")


@only_postgresql
def test_a_long_statement_ends_as_well_and_sql_is_busy_with_it(settings: Any) -> None:
    settings.SQL_LONG_STATEMENT_SECONDS = 0.01

    with pytest.raises(OperationalError) as ended, long_transaction(), connection.cursor() as cursor:
        cursor.execute("SELECT pg_sleep(9)")

    assert is_busy(ended.value)


@only_postgresql
def test_a_migration_takes_its_time_and_leaves_the_limits_as_they_were() -> None:
    during = []

    def look(**_: object) -> None:
        during.append((shown("statement_timeout"), shown("idle_in_transaction_session_timeout"), shown("lock_timeout")))

    pre_migrate.connect(look)
    try:
        call_command("migrate", verbosity=0)
    finally:
        pre_migrate.disconnect(look)

    assert during[-1] == ("0", "0", "2500ms")
    assert (shown("statement_timeout"), shown("idle_in_transaction_session_timeout")) == ("5min", "1min")


@only_postgresql
def test_a_transaction_that_rested_too_long_is_over_and_sql_was_away_for_it() -> None:
    def rest() -> None:
        with transaction.atomic():
            with connection.cursor() as cursor:
                cursor.execute("SET LOCAL idle_in_transaction_session_timeout = 50")
            time.sleep(0.2)
            KnownRedis.objects.create(identity="a")

    with pytest.raises(OperationalError, match="idle-in-transaction"):
        rest()

    assert not KnownRedis.objects.exists()  # over a connection of its own


@only_postgresql
@pytest.mark.parametrize("autocommit", [True, False])
def test_times_are_read_whatever_style_the_project_or_its_server_writes_them_in(autocommit: bool) -> None:
    other = connection.copy()
    other.settings_dict["OPTIONS"] = {
        **connection.settings_dict["OPTIONS"], "options": "-c datestyle=German -c intervalstyle=iso_8601",
    }  # fmt: skip  # as a table
    other.settings_dict["AUTOCOMMIT"] = autocommit

    with other.cursor() as cursor:
        cursor.execute("SELECT '2026-03-04 12:00+00'::timestamptz, '36 hours'::interval")
        read = cursor.fetchone()
        other.rollback()  # of a transaction that would have taken the styles with it
        cursor.execute("SHOW datestyle")
        style = cursor.fetchone()[0]
    other.close()

    assert read == (datetime(2026, 3, 4, 12, tzinfo=UTC), timedelta(hours=36))
    assert style.startswith("ISO")
