"""Poison: a row that SQL refuses in mid-load, a board that vanished, players named to hurt."""

from datetime import timedelta

import psycopg
import pytest
from psycopg import sql

from foundation import clock
from foundation.models import DeadLetter
from leaderboards import selectors
from leaderboards.core.entries import read_player
from leaderboards.models import Board, Period, Player, Standing
from leaderboards.selectors.boards import forget_boards
from leaderboards.selectors.periods import forget_periods
from leaderboards.services.close import close_due
from leaderboards.services.mirror import mirror_all
from leaderboards.services.remove import remove_player
from leaderboards.services.settle import settle_due
from leaderboards.services.verify import verify_all
from tests.faults.check import check
from tests.faults.world import World, wait_until
from tests.leaderboards.services.site import crowd, in_redis, in_sql, make_board, period_of, points, redis_client, score
from tests.links import links

__all__ = ["links"]

HURTFUL = [
    *("'; DROP TABLE leaderboards_standing; --", "%s %(x)s {0} {x}", "{LeaderBoard_1_all}:gen", "KEYS[1]", "*"),
    *("[a-z]", "<script>alert(1)", "\\", '"', "`", "$(reboot)", "_", "a_b", "0000001505202213287_zepinos", ":", "nil"),
    *("null", "None", "NaN", "-1", "1e400", "0", "가나다", "🏆" * 16, "é" * 64, "__proto__"),
]


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
@pytest.mark.parametrize("storage", ["hybrid", "redis", "sql"])
@pytest.mark.parametrize("form", [{"tie_break": "member"}, {"ties": "dense"}])
def test_players_named_to_hurt_hurt_nobody(links: None, storage: str, form: dict[str, str]) -> None:
    now = clock.now()
    names = [read_player(name) for name in HURTFUL]
    board = make_board(storage, now, update="increment", **form)
    for _ in range(2):
        outcomes = score(board, {name: place + 1 for place, name in enumerate(names)}, now)
        assert {str(outcome.status) for outcome in outcomes} == {"updated"}
    mirror_all()
    remove_player(board, names[0], now)
    mirror_all()

    expected = {name: 2 * (place + 1) for place, name in enumerate(names) if place}
    assert points(board, now) == expected
    seen = selectors.standings(board, "current", 0, 100)
    assert {row.player: row.points for row in seen.rows} == expected
    assert [selectors.player_row(board, name).row.rank for name in reversed(names[1:])] == [*range(1, len(names))]
    with redis_client() as client:  # as if it had lost its memory
        client.flushdb()
    settle_due(now)
    period = period_of(board, now)
    if storage != "sql":
        assert in_redis(period) == in_sql(period)
    assert sum(each.differences for each in verify_all(now, 60.0)) == 0
    [closed] = [each for each in close_due(now + timedelta(days=1, minutes=2)) if each.label == period.label]
    assert (closed.final, closed.players) == (True, len(expected))


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
    forget_boards()  # as five seconds later
    forget_periods()
    [refused] = score(gone, {"p1": 5}, now)
    score(left, {"b": 2}, now)
    settle_due(now)
    mirror_all()

    assert storage == "redis" or (str(soon.status), soon.code) == ("rejected", "unknown_board")
    assert (str(refused.status), refused.code) == ("rejected", "unknown_board")
    assert points(left, now) == {"a": 1, "b": 2}
    assert sum(each.differences for each in verify_all(now, 60.0)) == 0
    assert not DeadLetter.objects.exists()
    assert Player.objects.filter(external_id="p1").exists()
