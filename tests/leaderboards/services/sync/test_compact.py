"""A compact board over its life: what is lost comes back, what differs is repaired, and nobody else is ranked."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any
from unittest.mock import patch

import pytest

from foundation import clock
from foundation.db.resilience import SqlAway
from leaderboards import selectors
from leaderboards.core.submissions import Status
from leaderboards.models import Board, Difference, Period, PeriodState, Player, Standing, Submission
from leaderboards.selectors.catalog.boards import clear_board_cache
from leaderboards.services.boards import pending_changes, save_board
from leaderboards.services.moderation.remove import remove_player
from leaderboards.services.periods.close import close_period
from leaderboards.services.periods.open import open_board
from leaderboards.services.periods.retention import expire_due
from leaderboards.services.players.erase import erase_player
from leaderboards.services.sync.rebuild import rebuild
from leaderboards.services.sync.resync_periods import resync_due
from leaderboards.services.sync.verify import verify_all
from leaderboards.stores.redis import player_cells
from tests.compact_trees import rows_of
from tests.leaderboards.services import divided
from tests.leaderboards.services.divided import POINTS, expected, shown
from tests.leaderboards.services.restricting import keep_out
from tests.leaderboards.services.site import DAY, NOON, period_of, redis_client, score

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]

IN_PARTITIONS = pytest.mark.parametrize("partitions", [1, 4])


@pytest.fixture(autouse=True)
def at_noon() -> Iterator[None]:
    with clock.freeze_at(NOON):
        yield


def opened(partitions: int = 1, **wanted: Any) -> tuple[Board, Period]:
    """A compact board with forty players, who have come to the site in another order than that of their ids."""
    settings = {"encoding": "compact", "ties": "shared", **wanted}
    board, period = divided.opened("hybrid", dict(reversed(POINTS.items())), partitions, **settings)
    assert period.is_compact
    return board, period


def numbers(period: Period) -> dict[str, float]:
    """The players whom the trees have, with their points."""
    with redis_client() as client:
        rows = [row for part in period.parts for row in rows_of(client, part.family)]
    names = dict(Player.objects.values_list("pk", "external_id"))
    return {names[number]: score for score, number in rows}


@IN_PARTITIONS
def test_redis_has_numbers_and_the_order_is_that_of_sql(partitions: int) -> None:
    board, period = opened(partitions)
    equal = {f"p{n}": 500 for n in range(1, 20)}
    score(board, equal)

    found = selectors.standings(board, period.label, 0, 100)

    assert numbers(period) == POINTS | equal
    in_sql = Standing.objects.filter(period=period).order_by("-score", "-member").values_list("player__external_id")
    assert ([(row.player,) for row in found.rows], found.live) == ([*in_sql], True)
    with redis_client() as client:
        for part in period.parts:
            assert client.type(part.family.zset) == b"hash"
            assert not any(name.encode() in client.dump(part.family.zset) for name in ("p12", "p3"))


@IN_PARTITIONS
def test_memory_that_was_lost_comes_back_while_sql_answers(partitions: int) -> None:
    board, period = opened(partitions)
    lost = period.parts[-1]
    with redis_client() as client:
        client.delete(*lost.family.all_keys)

    assert shown(board) == (expected(POINTS), False)
    assert resync_due(NOON) == 1
    assert shown(board) == (expected(POINTS), True)
    assert numbers(period_of(board)) == POINTS


@IN_PARTITIONS
@pytest.mark.parametrize("key", ["zset", "members"])
def test_a_family_that_lost_one_of_its_hashes_is_found_by_verify_and_filled_anew(key: str, partitions: int) -> None:
    """Fault: without its tree a board was empty for ever, since the scores by number were as in SQL."""
    board, period = opened(partitions)
    with redis_client() as client:
        client.delete(getattr(period.parts[0].family, key))

    verify_all(NOON, 60)

    assert shown(board) == (expected(POINTS), False)
    assert resync_due(NOON) == 1
    assert shown(board) == (expected(POINTS), True)


@IN_PARTITIONS
@pytest.mark.parametrize("key", ["zset", "members"])
def test_or_by_the_next_score(key: str, partitions: int) -> None:
    board, period = opened(partitions)
    part = period.part_of("p7")
    with redis_client() as client:
        client.delete(getattr(part.family, key))

    assert score(board, {"p7": 700})[0].status is Status.UPDATED

    assert shown(board) == (expected(POINTS | {"p7": 700}), False)
    assert resync_due(NOON) == 1
    assert shown(board) == (expected(POINTS | {"p7": 700}), True)


@IN_PARTITIONS
def test_verifying_finds_and_repairs_what_differs(partitions: int) -> None:
    board, period = opened(partitions)
    period.refresh_from_db()
    with patch("leaderboards.services.sync.publish._publish"):  # the writer died after its commit
        score(board, {"p7": 700})
    with redis_client() as client:
        for part in period.parts:
            client.delete(part.family.inflight)
    Standing.objects.filter(period=period, player__external_id="p9").update(score=None, points=None)

    found = verify_all(NOON, 60)

    assert sum(each.repaired for each in found) == sum(each.differences for each in found) == 2
    assert {*Difference.objects.values_list("player", flat=True)} == {"p7", "p9"}
    points = {name: number for name, number in POINTS.items() if name != "p9"} | {"p7": 700}
    assert shown(board) == (expected(points), True)
    assert numbers(period) == points
    assert not [each for each in verify_all(NOON, 60) if each.differences]


def test_verifying_takes_out_numbers_of_players_whom_sql_does_not_know() -> None:
    board, period = opened()
    for rows in (Submission, Standing):
        rows.objects.filter(player__external_id="p9").delete()
    Player.objects.filter(external_id="p9").delete()

    found = verify_all(NOON, 60)

    assert sum(each.repaired for each in found) == sum(each.differences for each in found) == 1
    assert "p9" not in numbers(period)
    assert len(shown(board)[0]) == len(POINTS) - 1


def test_dense_levels_are_verified_and_repaired() -> None:
    board, period = opened(ties="dense", total_maximum=1000, maximum=1000)
    with redis_client() as client:
        client.setbit(period.family.scores, 20, 0)
        client.setbit(period.family.scores, 500, 1)

    found = verify_all(NOON, 60)

    assert sum(each.repaired for each in found) == sum(each.differences for each in found) == 2
    assert shown(board) == (expected(POINTS), True)


@IN_PARTITIONS
def test_a_rebuild_brings_all_of_it_back(partitions: int) -> None:
    board, period = opened(partitions)
    with redis_client() as client:
        client.delete(*(key for part in period.parts for key in part.family.all_keys))

    [result] = rebuild(board, period.label, NOON)

    assert result.is_resynced
    assert shown(board) == (expected(POINTS), True)


@IN_PARTITIONS
def test_a_period_closes_and_its_keys_go(partitions: int) -> None:
    board, period = opened(partitions)
    score(board, {"p1": 900})
    after, parts = NOON + 2 * DAY, list(period.parts)

    with clock.freeze_at(after):
        closed = close_period(Period.objects.select_related("board").get(pk=period.pk), after)

    assert (closed.final, closed.players) == (True, len(POINTS))
    found = selectors.standings(board, period.label, 0, 100)
    assert {row.player: row.rank for row in found.rows} == expected(POINTS | {"p1": 900})
    with redis_client() as client:
        assert all(client.ttl(key) > 0 for part in parts for key in (part.family.zset, part.family.members))
    assert expire_due(after + timedelta(days=board.retention_days + 1)) == 1
    with redis_client() as client:
        assert not any(client.exists(*part.family.all_keys) for part in parts)
    period.refresh_from_db()
    assert period.state == PeriodState.EXPIRED


@IN_PARTITIONS
def test_an_erased_player_leaves_the_tree_and_their_id_is_free_for_another(partitions: int) -> None:
    board, period = opened(partitions)

    erase_player("p7", NOON)
    assert "p7" not in shown(board)[0]
    assert score(board, {"p7": 600})[0].status is Status.UPDATED

    assert shown(board) == (expected(POINTS | {"p7": 600}), True)
    assert not [each for each in verify_all(NOON, 60) if each.differences]
    after = NOON + 2 * DAY
    with clock.freeze_at(after):
        close_period(Period.objects.select_related("board").get(pk=period.pk), after)
        erase_player("p8", after)
    members = [*period.final_standings.values_list("member", flat=True)]
    assert not [member for member in members if member.endswith("_p8")]
    assert len(members) == len(POINTS)


@IN_PARTITIONS
def test_whoever_is_removed_or_hidden_is_not_shown_and_ranks_close_up(partitions: int) -> None:
    board, period = opened(partitions)
    remove_player(board, "p40", NOON)
    keep_out("hidden", board, "p39")

    left = {name: number for name, number in POINTS.items() if name not in ("p39", "p40")}
    assert shown(board) == (expected(left), True)
    assert "p40" not in numbers(period)
    assert selectors.player_row(board, "p1", period.label).row.rank == len(left)
    assert selectors.ranks(period_of(board), ["p1", "p38"]) == {"p1": len(left), "p38": 1}


@IN_PARTITIONS
def test_ranks_by_a_time_in_the_score_are_read_by_a_script_of_their_own(partitions: int) -> None:
    for order in ("desc", "asc"):
        board, _ = opened(partitions, ties="first_come", tie_break="score", order=order)
        own = period_of(board)
        wanted = expected(POINTS if order == "desc" else {name: -number for name, number in POINTS.items()})

        assert {name: selectors.ranks(own, [name]).get(name) for name in POINTS} == wanted
        assert selectors.ranks(own, ["nobody"]) == {}
        board.name = f"Another, {order}"
        save_board(board, NOON)


@IN_PARTITIONS
def test_while_sql_does_not_tell_whose_numbers_they_are_redis_is_not_shown(partitions: int) -> None:
    board, _ = opened(partitions)

    with patch.object(player_cells, "ask_sql", side_effect=SqlAway("SQL is busy.")):
        assert shown(board) == (expected(POINTS), False)

    assert shown(board) == (expected(POINTS), True)


def test_the_encoding_changes_with_the_next_period() -> None:
    board, running = opened()
    open_board(board, NOON)
    following = Period.objects.get(board=board, starts_at=running.ends_at)
    board.encoding = "plain"
    save_board(board, NOON)
    open_board(board, NOON)
    clear_board_cache()
    running.refresh_from_db()
    following.refresh_from_db()

    assert (running.is_compact, Period.objects.get(pk=following.pk).is_compact) == (True, False)
    assert pending_changes(Board.objects.get(pk=board.pk), NOON) == {"encoding": "plain"}
    assert shown(board) == (expected(POINTS), True)
    tomorrow = NOON + DAY
    with clock.freeze_at(tomorrow):
        assert {each.status for each in score(board, POINTS, tomorrow)} == {Status.UPDATED}
        found = selectors.standings(board, following.label, 0, 100)
    assert ({row.player: row.rank for row in found.rows}, found.live) == (expected(POINTS), True)
