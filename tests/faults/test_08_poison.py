"""Poison: a row that SQL refuses in mid-load, and a board that vanished."""

import psycopg
import pytest
from psycopg import sql

from foundation import clock
from foundation.models import DeadLetter
from leaderboards.models import Board, Period, Player, Standing
from leaderboards.selectors.catalog.boards import clear_board_cache
from leaderboards.selectors.catalog.periods import clear_period_cache
from leaderboards.services.sync.mirror import mirror_all
from leaderboards.services.sync.resync_periods import resync_due
from leaderboards.services.sync.verify import verify_all
from tests.faults.check import check
from tests.faults.world import World, wait_until
from tests.leaderboards.services.site import crowd, make_board, points, score
from tests.links import links

__all__ = ["links"]


def set_aside(connection: psycopg.Connection) -> list[str]:
    """The players whose standings wait as dead letters."""
    found = connection.execute("SELECT subject FROM foundation_deadletter WHERE resolved_at IS NULL").fetchall()
    return [subject.partition(":")[2] for (subject,) in found]


def test_a_row_that_sql_refuses_in_mid_load_keeps_nobody_else(world: World, seed: int) -> None:
    number = world.make_boards("redis")["redis"]

    def others_moved_on() -> bool:
        after = world.mirrored(number)
        return sum(after[name] > before[name] for name in before) > len(before) // 2

    with world.worker(), world.writers([number], seed):
        wait_until(lambda: "p3" in world.mirrored(number), "the player to refuse")
        with world.sql.connect() as connection:
            found = connection.execute("SELECT id FROM leaderboards_player WHERE external_id = 'p3'").fetchall()
            check_ = sql.SQL("CHECK (player_id <> {}) NOT VALID").format(sql.Literal(found[0][0]))
            connection.execute(sql.SQL("ALTER TABLE leaderboards_standing ADD CONSTRAINT poison {}").format(check_))
            stuck = world.mirrored(number)["p3"]
            wait_until(lambda: set_aside(connection) == ["p3"], "a dead letter")
            before = world.mirrored(number)
            wait_until(others_moved_on, "the others")
            after = world.mirrored(number)
            assert set_aside(connection) == ["p3"]
            connection.execute("ALTER TABLE leaderboards_standing DROP CONSTRAINT poison")
        assert after["p3"] == before["p3"] == stuck
        wait_until(lambda: world.mirrored(number)["p3"] > stuck, "the player's next score")

    check(world)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("storage", ["hybrid", "redis"])
def test_a_board_that_vanished_keeps_no_other(links: None, storage: str) -> None:
    now = clock.now()
    gone = make_board(storage, now, name="gone")
    left = make_board(storage, now, name="left")
    period = crowd(gone, 5, now)
    score(gone, {"p1": 100}, now)
    score(left, {"a": 1}, now)
    period.submissions.all().delete()
    Standing.objects.filter(period=period).delete()
    Period.objects.filter(board=gone).delete()
    Board.objects.filter(pk=gone.pk).delete()

    [soon] = score(gone, {"p1": 5}, now)
    clear_board_cache()  # as five seconds later
    clear_period_cache()
    [refused] = score(gone, {"p1": 5}, now)
    score(left, {"b": 2}, now)
    resync_due(now)
    mirror_all()

    assert storage == "redis" or (str(soon.status), soon.code) == ("rejected", "unknown_board")
    assert (str(refused.status), refused.code) == ("rejected", "unknown_board")
    assert points(left, now) == {"a": 1, "b": 2}
    assert sum(each.differences for each in verify_all(now, 60.0)) == 0
    assert not DeadLetter.objects.exists()
    assert Player.objects.filter(external_id="p1").exists()
