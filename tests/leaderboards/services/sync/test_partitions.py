"""A divided period: what is lost, refused or damaged in one partition stays there, and SQL answers meanwhile."""

from collections.abc import Iterator
from datetime import timedelta
from unittest.mock import patch

import pytest

from foundation import clock
from foundation.redis.client import RedisRefused, RedisSilent
from leaderboards import selectors
from leaderboards.core.submissions import Status
from leaderboards.models import Difference, Partition, Period, PeriodState, Player, Standing
from leaderboards.selectors.catalog.boards import clear_board_cache
from leaderboards.selectors.catalog.parts import parts_of
from leaderboards.services.boards import save_board
from leaderboards.services.moderation.remove import remove_player
from leaderboards.services.periods.close import close_period
from leaderboards.services.periods.open import open_board
from leaderboards.services.periods.retention import expire_due
from leaderboards.services.players.erase import erase_player
from leaderboards.services.sync.due_work import SETTLE_TASK, find_due_work
from leaderboards.services.sync.mirror import mirror
from leaderboards.services.sync.rebuild import rebuild
from leaderboards.services.sync.resync_periods import PeriodResync, resync_due
from leaderboards.services.sync.verify import verify_all
from tests.leaderboards.services.divided import (
    POINTS,
    deaf,
    divided,
    expected,
    names_in,
    opened,
    partitions,
    shown,
    stale_numbers,
)
from tests.leaderboards.services.site import DAY, NOON, WHO_DECIDES, follow, period_of, redis_client, score
from tests.locked import locked, only_postgresql

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]


@pytest.fixture(autouse=True)
def at_noon() -> Iterator[None]:
    with clock.freeze_at(NOON):
        yield


@WHO_DECIDES
def test_each_partition_is_a_family_of_its_own_and_no_score_is_elsewhere(storage: str) -> None:
    board, period = opened(storage)

    with redis_client() as client:
        counts = [client.zcard(part.family.zset) for part in period.parts]
        generations = {client.get(part.family.gen) for part in period.parts}
        assert not client.exists(period.family.zset)
    assert sum(counts) == len(POINTS)
    assert all(counts)
    assert len(generations) == 4
    assert shown(board) == (expected(POINTS), True)
    assert find_due_work() == []


@WHO_DECIDES
def test_memory_that_one_partition_lost_comes_back_while_sql_answers(storage: str) -> None:
    board, period = opened(storage)
    lost = period.parts[2]
    with redis_client() as client:
        client.delete(*lost.family.all_keys)
    before = {part.number: part.generation for part in partitions(period)}

    assert shown(board) == (expected(POINTS), False)
    assert find_due_work()[-1:] == [SETTLE_TASK]
    assert resync_due(NOON) == 1

    period.refresh_from_db()
    assert {part.number for part in partitions(period) if part.generation != before[part.number]} == {2}
    assert (period.stale_since, stale_numbers(period)) == (None, set())
    assert shown(board) == (expected(POINTS), True)


@WHO_DECIDES
def test_a_partition_that_is_stale_is_not_read_even_if_its_period_does_not_say_so_yet(storage: str) -> None:
    board, period = opened(storage)
    Partition.objects.filter(period=period, number=3).update(stale_since=NOON)

    assert shown(board) == (expected(POINTS), False)
    assert selectors.running_periods([board])[board.seq].total == len(POINTS)
    assert resync_due(NOON) == 1
    assert shown(board) == (expected(POINTS), True)


@only_postgresql
def test_a_period_whose_row_was_locked_hears_from_the_worker_that_a_partition_is_stale() -> None:
    """Fault: if the locker rolled back, the period was noted by nobody for as long as the resync failed."""
    board, period = opened("hybrid")
    victim = names_in(period, 2)[0]

    row = locked(Period.objects.filter(pk=period.pk), strength="NO KEY UPDATE")
    with row, deaf(period.parts[2], RedisRefused("OOM")):
        assert score(board, {victim: 5000})[0].status is Status.UPDATED
    period.refresh_from_db()
    assert (period.stale_since, stale_numbers(period)) == (None, {2})
    assert shown(board) == (expected(POINTS | {victim: 5000}), False)
    with patch.object(PeriodResync, "resync", return_value=False):  # its server is full
        resync_due(NOON)

    period.refresh_from_db()
    assert period.stale_since == NOON
    assert resync_due(NOON) == 1
    period.refresh_from_db()
    assert period.stale_since is None
    assert shown(board) == (expected(POINTS | {victim: 5000}), True)


def test_a_period_that_says_it_is_stale_though_no_partition_is_hears_it_from_the_worker() -> None:
    board, period = opened("hybrid")
    Period.objects.filter(pk=period.pk).update(stale_since=NOON)

    assert find_due_work() == [SETTLE_TASK]
    assert resync_due(NOON) == 0
    assert find_due_work() == []

    period.refresh_from_db()
    assert period.stale_since is None
    assert shown(board) == (expected(POINTS), True)


@pytest.mark.parametrize("failure", [RedisRefused("OOM command not allowed"), RedisSilent("silent")], ids=str)
def test_what_one_partition_does_not_hear_is_marked_and_comes_later(failure: Exception) -> None:
    board, period = opened("hybrid")
    better = {name: 100 + number for name, number in POINTS.items()}
    with deaf(period.parts[1], failure):
        assert {each.status for each in score(board, better)} == {Status.UPDATED}

    marked = Standing.objects.filter(pending_publish=True).values_list("player__external_id", flat=True)
    assert sorted(marked) == sorted(names_in(period, 1))
    assert stale_numbers(period) == {1}
    assert shown(board) == (expected(better), False)
    assert resync_due(NOON) == 1
    assert shown(board) == (expected(better), True)
    assert not Standing.objects.filter(pending_publish=True).exists()


@WHO_DECIDES
def test_verifying_finds_what_one_partition_has_wrongly(storage: str) -> None:
    board, period = opened(storage)
    victim = names_in(period, 3)[0]
    part, row = period.part_of(victim), Standing.objects.get(period=period, player__external_id=victim)
    with redis_client() as client:
        if storage == "hybrid":
            client.zadd(part.family.zset, {row.member: 10**6})
        else:
            client.zrem(part.family.zset, row.member)
            client.hdel(part.family.members, victim)

    found = verify_all(NOON, 60)

    assert sum(each.repaired for each in found) == sum(each.differences for each in found) == 1
    assert all(each.finished for each in found)
    assert Difference.objects.get().player == victim
    assert shown(board) == (expected(POINTS), True)
    period.refresh_from_db()
    assert period.verified_at is not None
    assert all(part.verified_at for part in period.parts)


@WHO_DECIDES
def test_a_rebuild_brings_back_all_partitions(storage: str) -> None:
    board, period = opened(storage)
    with redis_client() as client:
        for part in period.parts[:2]:
            client.delete(*part.family.all_keys)

    [result] = rebuild(board, period.label, NOON)

    assert result.is_resynced
    assert shown(board) == (expected(POINTS), True)


@WHO_DECIDES
def test_a_period_closes_with_all_partitions_and_its_keys_go(storage: str) -> None:
    board, period = opened(storage)
    parts = list(period.parts)
    score(board, {"p1": 900})
    after = NOON + 2 * DAY

    with clock.freeze_at(after):
        closed = close_period(Period.objects.select_related("board").get(pk=period.pk), after)

    assert (closed.final, closed.players) == (True, len(POINTS))
    period.refresh_from_db()
    found = selectors.standings(board, period.label, 0, 100)
    assert {row.player: row.rank for row in found.rows} == expected(POINTS | {"p1": 900})
    with redis_client() as client:
        assert all(client.ttl(part.family.zset) > 0 for part in parts)
    later = after + timedelta(days=board.retention_days + 1)
    assert expire_due(later) == 1
    with redis_client() as client:
        assert not any(client.exists(*part.family.all_keys) for part in parts)
    period.refresh_from_db()
    assert period.state == PeriodState.EXPIRED


def test_closing_waits_for_a_standing_of_any_partition_that_sql_lacks() -> None:
    board, period = opened("redis")
    victim = names_in(period, 2)[0]
    Standing.objects.filter(period=period, player__external_id=victim).update(score=1.5)

    closed = close_period(Period.objects.select_related("board").get(pk=period.pk), NOON + 2 * DAY)

    assert not closed.final
    assert "verify --repair" in closed.detail
    assert board.pk == closed.board


@WHO_DECIDES
def test_an_id_that_was_erased_and_is_used_again_is_ranked_in_its_partition(storage: str) -> None:
    """Fault: what was announced of the new player was looked up in the partition of the old row, and never shown."""
    board, period = opened(storage)
    for name in ("p8", "p9", "p10", "p11", "p12", "p13"):  # their new ids are in any partition, with old versions
        erase_player(name, NOON)
    erase_player("p7", NOON)
    follow(period)
    assert "p7" not in shown(board)[0]
    erased = Player.objects.filter(external_id__startswith="erased-").values_list("external_id", flat=True)
    assert len({period.part_of(each) for each in erased}) > 1

    with patch("leaderboards.services.sync.publish._publish"):  # the writer died after its commit
        assert score(board, {"p7": 600})[0].status is Status.UPDATED
    resync_due(NOON)

    points = {name: n for name, n in POINTS.items() if not 8 <= n <= 13} | {"p7": 600}
    assert shown(board) == (expected(points), True)
    assert not [each for each in verify_all(NOON, 60) if each.differences]


@WHO_DECIDES
def test_whoever_is_taken_out_is_out_of_their_partition(storage: str) -> None:
    board, period = opened(storage)
    with clock.freeze_at(NOON):
        remove_player(board, "p5", NOON)

    assert "p5" not in shown(board)[0]
    if storage == "redis":
        mirror(period)
    assert Standing.objects.get(period=period, player__external_id="p5").score is None


def test_another_number_of_partitions_waits_for_the_next_period_and_holds_from_its_start() -> None:
    board = divided("hybrid")
    running = period_of(board)
    with clock.freeze_at(NOON):
        open_board(board, NOON)
        following = Period.objects.get(board=board, starts_at=running.ends_at)
        former = [part.family.gen for part in following.parts]
        board.partitions = 16
        save_board(board, NOON)
        open_board(board, NOON)
    clear_board_cache()
    running.refresh_from_db()
    following.refresh_from_db()

    assert (running.partitions, len(running.parts)) == (4, 4)
    assert (following.partitions, len(following.parts)) == (16, 16)
    assert (following.stale_since, stale_numbers(following)) == (None, set())
    with redis_client() as client:
        assert not client.exists(*former)
    board.refresh_from_db()
    tomorrow = NOON + DAY
    with clock.freeze_at(tomorrow):
        assert {each.status for each in score(board, POINTS, tomorrow)} == {Status.UPDATED}
        found = selectors.standings(board, following.label, 0, 100)
    assert ({row.player: row.rank for row in found.rows}, found.live) == (expected(POINTS), True)


@pytest.mark.parametrize(("before", "after"), [(4, 16), (16, 4), (4, 1), (1, 4)])
def test_who_reads_all_families_while_a_period_is_divided_anew_has_none_that_do_not_belong_together(
    before: int, after: int
) -> None:
    """Fault: names of partition 4 of 4 were sought without end, and the worker stood still until it was killed."""
    board = divided("hybrid", before)
    read_before = list(Period.objects.filter(board=board).order_by("starts_at"))
    board.partitions = after
    save_board(board, NOON)

    running, following = (parts_of([period]) for period in read_before)

    assert len(running) == before
    assert len(following) == (1 if before == 1 else 0)
    assert len(parts_of(Period.objects.filter(board=board))) == before + after
    assert find_due_work() in ([], [SETTLE_TASK])
