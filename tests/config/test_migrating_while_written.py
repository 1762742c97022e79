"""This release's migrations run over a million rows of each large table while somebody writes, who is never held up.

The tables are those of the squashed migrations. The writer uses only columns that have one name before and after.
"""

import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
import pytest
from django.conf import settings

from config.local import postgres

pytestmark = [pytest.mark.long, pytest.mark.alone]

ROWS = int(os.environ.get("MIGRATED_ROWS", "1000000"))
HELD_UP_AT_MOST = 0.5  # seconds, for one transaction of four statements
PROVED_BY = 0.8  # seconds for which a lock is held on purpose

FILL = """
SET session_replication_role = replica;  -- rows that fit together need no proof
INSERT INTO leaderboards_board (seq, name, period, timezone, week_start, cutoff, "order", "update", ties, tie_break,
    criteria, decimals, minimum, maximum, total_maximum, grace_seconds, retention_days, keep_submissions_days, storage,
    unit, format, visibility, own_jump_against, own_jump_last, field_jump_players, created_at)
  VALUES (1, 'Million', 'all_time', 'UTC', 'monday', '00:00', 'desc', 'increment', 'first_come', 'time', '[]', 0, 0,
    1000000, 1000000000, 60, 0, 0, 'hybrid', '', 'number', 'public', 'best', 1, 1, now());
INSERT INTO leaderboards_period (id, generation, whole, board_id, label, rules_json, state, emptied_at, rebuilt,
    created_at, verify_place, players, content_hash)
  VALUES (1, 1, false, 1, 'all', '{}', 'open', 0, 0, now(), '', 0, '');
INSERT INTO leaderboards_player (id, external_id, name, avatar_url, country, created_at)
  SELECT n, 'p' || n, 'Player ' || n, '', '', now() FROM generate_series(1, %(rows)s) n;
INSERT INTO leaderboards_standing (id, period_id, player_id, member, points, at, score, version, unput)
  SELECT n, 1, n, 'p' || n, n, now(), n, 0, false FROM generate_series(1, %(rows)s) n;
INSERT INTO leaderboards_submission (id, period_id, player_id, board_id, competition, points, at, service, external_id,
    created_at)
  SELECT n, 1, n, 1, 0, n, now(), 'game', 'id-' || n, now() FROM generate_series(1, %(rows)s) n;
INSERT INTO likes_like (id, kind, thing, player_id, amount, at, version)
  SELECT n, 'comment', (n %% 1000)::text, n, 1, now(), 0 FROM generate_series(1, %(rows)s) n;
"""
SEQUENCES = ("leaderboards_player", "leaderboards_submission", "likes_like")
WRITES = (
    "INSERT INTO leaderboards_player (external_id, name, avatar_url, country, created_at)"
    " VALUES ('new-' || %(n)s::text, '', '', '', now())",
    "UPDATE leaderboards_standing SET points = points + 1, score = score + 1 WHERE period_id = 1 AND player_id = %(n)s",
    "INSERT INTO leaderboards_submission (period_id, player_id, board_id, competition, points, at, service,"
    " external_id, created_at) VALUES (1, %(n)s, 1, 0, 1, now(), 'game', 'new-' || %(n)s::text, now())",
    "UPDATE likes_like SET amount = 1 - amount WHERE id = %(n)s",
)


@pytest.fixture
def server() -> Iterator[postgres.Postgres]:
    """An empty one."""
    made = postgres.create()
    process = made.start()
    try:
        with psycopg.connect(host=str(made.folder), user="postgres", dbname="postgres", autocommit=True) as owner:
            owner.execute("CREATE DATABASE sunwi")
        yield made
    finally:
        made.stop(process)


def connect(server: postgres.Postgres, **how: bool) -> psycopg.Connection:
    return psycopg.connect(host=str(server.folder), user="postgres", dbname="sunwi", **how)  # type: ignore[arg-type]  # psycopg's overloads take no dictionary of options


def migrate(server: postgres.Postgres, where: str) -> None:
    """In a process of its own, as for a release."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.config.migrate_to", where], cwd=settings.BASE_DIR,
        env=os.environ | {"DATABASE_URL": server.url}, capture_output=True, text=True, check=False,
    )  # fmt: skip  # as a table
    assert done.returncode == 0, done.stderr


def fill(server: postgres.Postgres) -> None:
    with connect(server) as link, psycopg.ClientCursor(link) as cursor:
        cursor.execute(FILL, {"rows": ROWS})
        for table in SEQUENCES:
            cursor.execute(f"SELECT setval(pg_get_serial_sequence('{table}', 'id'), %s)", [ROWS])
    with connect(server, autocommit=True) as owner:
        owner.execute("VACUUM ANALYZE")


class Writer:
    """Writes one transaction after the other, and notes how long each took."""

    def __init__(self, server: postgres.Postgres) -> None:
        self._server, self._over = server, threading.Event()
        self.took: list[float] = []
        self.error = ""
        self._thread = threading.Thread(target=self._write)

    @contextmanager
    def at_work(self) -> Iterator[None]:
        self._thread.start()
        try:
            yield
        finally:
            self._over.set()
            self._thread.join(30)
        assert not self.error, self.error

    def _write(self) -> None:
        try:
            with connect(self._server) as link:
                while not self._over.wait(0.005):
                    began = time.monotonic()
                    with link.transaction():
                        for statement in WRITES:
                            link.execute(statement, {"n": len(self.took) + 1})
                    self.took.append(time.monotonic() - began)
        except psycopg.Error as error:
            self.error = repr(error)


def test_a_writer_is_not_held_up_while_a_million_rows_are_migrated(server: postgres.Postgres) -> None:
    migrate(server, "before")
    fill(server)
    writer = Writer(server)

    with writer.at_work():
        migrate(server, "latest")
        while_migrating = [*writer.took]
        with connect(server) as other:  # which a lock would be seen in
            other.execute("LOCK TABLE leaderboards_standing IN ACCESS EXCLUSIVE MODE")
            time.sleep(PROVED_BY)
        time.sleep(0.5)

    sys.stdout.write(f"\n{len(while_migrating)} transactions, the longest took {max(while_migrating):.3f} s\n")
    assert len(while_migrating) > 100
    assert max(while_migrating) < HELD_UP_AT_MOST
    assert max(writer.took) > HELD_UP_AT_MOST, "the measure saw no lock"
