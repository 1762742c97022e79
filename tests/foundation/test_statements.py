"""Statements sent one behind the other: what they found, and what they were refused for."""

import pytest
from django.db import DataError, IntegrityError, connection, transaction

from foundation.models import KnownRedis
from foundation.statements import one_behind_the_other

pytestmark = pytest.mark.django_db(transaction=True)
only_postgresql = pytest.mark.skipif("connection.vendor != 'postgresql'", reason="SQLite answers each at once")

_INSERT = "INSERT INTO foundation_knownredis (run_id, known_since) VALUES (%s, %s)"
_COUNT = "SELECT count(*) FROM foundation_knownredis WHERE run_id = %s"
NOON = "2026-03-04 12:00:00+00:00"


def insert(*run_ids: str, commit: bool = False) -> None:
    with transaction.atomic(), one_behind_the_other() as statements:
        for run_id in run_ids:
            statements.execute(_INSERT, [run_id, NOON])
        if commit:
            statements.commit()


def test_each_sees_what_those_before_it_did_and_is_answered_when_it_is_waited_for() -> None:
    with transaction.atomic(), one_behind_the_other() as statements:
        before = statements.execute(_COUNT, ["a"])
        written = statements.execute(_INSERT, ["a", NOON])
        statements.wait()
        in_time = written.rowcount
        after = statements.execute(_COUNT, ["a"])

    assert (before.fetchone(), in_time, after.fetchone()) == ((0,), 1, (1,))
    assert KnownRedis.objects.filter(run_id="a").exists()


@pytest.mark.parametrize(("run_ids", "commit"), [("aab", False), ("aa", True)])
def test_one_that_is_refused_takes_the_whole_transaction_with_it(run_ids: str, commit: bool) -> None:
    with pytest.raises(IntegrityError):
        insert(*run_ids, commit=commit)

    assert KnownRedis.objects.count() == 0


@only_postgresql
def test_the_connection_goes_on_after_a_refusal() -> None:
    for _ in range(2):
        with pytest.raises(DataError), transaction.atomic(), one_behind_the_other() as statements:
            statements.execute("SELECT %s::int", ["none"])
    with transaction.atomic(), one_behind_the_other() as statements:
        found = statements.execute("SELECT %s::int + 1", [1])

    assert found.fetchone() == (2,)


@only_postgresql
def test_the_last_of_them_may_end_the_transaction_in_the_same_trip() -> None:
    with transaction.atomic():
        with one_behind_the_other() as statements:
            statements.execute(_INSERT, ["a", NOON])
            statements.commit()
        with connection.copy().temporary_connection() as other:
            other.execute(_COUNT, ["a"])
            assert other.fetchone() == (1,)


def test_nobody_ends_a_transaction_that_another_has_begun() -> None:
    with transaction.atomic():
        with transaction.atomic(), one_behind_the_other() as statements:
            statements.execute(_INSERT, ["a", NOON])
            statements.commit()
        transaction.set_rollback(True)

    assert KnownRedis.objects.count() == 0
