"""Statements sent one behind the other: what they found, and what they were refused for."""

import pytest
from django.db import DataError, IntegrityError, connection, transaction

from foundation.models import KnownRedis
from foundation.statements import one_behind_the_other

pytestmark = pytest.mark.django_db(transaction=True)

_INSERT = "INSERT INTO foundation_knownredis (run_id, known_since) VALUES (%s, %s)"
_COUNT = "SELECT count(*) FROM foundation_knownredis WHERE run_id = %s"
NOON = "2026-03-04 12:00:00+00:00"


def insert(*run_ids: str) -> None:
    with transaction.atomic(), one_behind_the_other() as statements:
        for run_id in run_ids:
            statements.execute(_INSERT, [run_id, NOON])


def test_each_sees_what_those_before_it_did_and_is_answered_after_the_block() -> None:
    with transaction.atomic(), one_behind_the_other() as statements:
        before = statements.execute(_COUNT, ["a"])
        written = statements.execute(_INSERT, ["a", NOON])
        after = statements.execute(_COUNT, ["a"])

    assert (before.fetchone(), written.rowcount, after.fetchone()) == ((0,), 1, (1,))
    assert KnownRedis.objects.filter(run_id="a").exists()


def test_what_was_sent_is_answered_when_it_is_waited_for() -> None:
    with transaction.atomic(), one_behind_the_other() as statements:
        written = statements.execute(_INSERT, ["a", NOON])
        statements.wait()

        assert written.rowcount == 1


def test_one_that_is_refused_takes_the_whole_transaction_with_it() -> None:
    with pytest.raises(IntegrityError):
        insert("a", "a", "b")

    assert KnownRedis.objects.count() == 0


def test_the_connection_goes_on_after_a_refusal() -> None:
    if connection.vendor != "postgresql":
        pytest.skip("SQLite reads any text as a number, so nothing is refused")

    for _ in range(2):
        with pytest.raises(DataError), transaction.atomic(), one_behind_the_other() as statements:
            statements.execute("SELECT %s::int", ["none"])
    with transaction.atomic(), one_behind_the_other() as statements:
        found = statements.execute("SELECT %s::int + 1", [1])

    assert found.fetchone() == (2,)
