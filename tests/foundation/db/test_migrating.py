"""Migrations beside a transaction that lasts: refused before anybody waits for them."""

import threading
import time
from collections.abc import Iterator

import psycopg
import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.migrations.loader import MigrationLoader

from foundation.db.migrating import refuse_beside_lasting_transactions

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has one lock for all"),
]


@pytest.fixture
def other() -> Iterator[psycopg.Connection]:
    settings = connection.settings_dict
    dsn = psycopg.conninfo.make_conninfo(dbname=settings["NAME"], user=settings["USER"], host=settings["HOST"])
    with psycopg.connect(dsn, application_name="backup") as opened:
        yield opened


def plan_of(label: str) -> list[tuple[object, bool]]:
    loader = MigrationLoader(connection)
    return [(loader.get_migration(*loader.graph.leaf_nodes(label)[0]), False)]


def test_beside_a_transaction_that_lasts_nothing_is_begun(other: psycopg.Connection) -> None:
    other.execute("SELECT count(*) FROM leaderboards_player")  # keeps its lock until its end, as pg_dump does

    with pytest.raises(CommandError, match=r"Session \d+ \(backup\)"):
        refuse_beside_lasting_transactions("default", plan_of("leaderboards"), patience=0)


def test_it_goes_on_when_that_has_ended(other: psycopg.Connection, capsys: pytest.CaptureFixture[str]) -> None:
    other.execute("SELECT count(*) FROM leaderboards_player")
    ends = threading.Timer(1.5, other.commit)
    ends.start()

    refuse_beside_lasting_transactions("default", plan_of("leaderboards"))

    ends.join()
    assert "(backup) has ended" in capsys.readouterr().err


def test_transactions_that_come_and_go_are_not_in_the_way(other: psycopg.Connection) -> None:
    ended = threading.Event()

    def come_and_go() -> None:
        while not ended.is_set():
            other.execute("SELECT count(*) FROM leaderboards_player")
            time.sleep(0.02)
            other.commit()

    visitor = threading.Thread(target=come_and_go)
    visitor.start()
    try:
        for _ in range(5):
            refuse_beside_lasting_transactions("default", plan_of("leaderboards"), patience=0)
    finally:
        ended.set()
        visitor.join()


def test_where_nothing_of_ours_is_migrated_nobody_is_asked_about(other: psycopg.Connection) -> None:
    other.execute("SELECT count(*) FROM leaderboards_player")

    refuse_beside_lasting_transactions("default", plan_of("sessions"), patience=0)
    call_command("migrate", verbosity=0)  # nothing to do
