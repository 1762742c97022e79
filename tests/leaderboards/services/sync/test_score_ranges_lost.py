"""What score ranges have lost, or were not told, is not read; and what becomes of a board becomes of its ranges."""

from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from typing import Any
from unittest.mock import patch

import pytest
from django.db.models.functions import Now

from foundation import clock
from foundation.redis.client import RedisClient, RedisSilent
from leaderboards.core.range_steps import passing
from leaderboards.models import Period, PeriodState, ScoreRanges
from leaderboards.services.boards import save_board
from leaderboards.services.moderation.remove import remove_player
from leaderboards.services.periods.close import close_period
from leaderboards.services.periods.retention import expire_due
from leaderboards.services.players.erase import erase_player
from leaderboards.services.sync import score_ranges
from leaderboards.services.sync.due_work import RANGES_TASK, find_due_work
from leaderboards.services.sync.rebuild import rebuild
from leaderboards.services.sync.resync_periods import resync_due
from leaderboards.services.sync.score_ranges import follow, follow_all
from leaderboards.services.sync.verify import verify_all
from tests.leaderboards.services.divided import POINTS, expected, shown
from tests.leaderboards.services.ranges import cutting_anew, followed, in_partitions, in_ranges, of_ranges, opened
from tests.leaderboards.services.site import DAY, NOON, WHO_DECIDES, period_of, redis_client, score
from tests.leaderboards.services.site import follow as let_sql_follow

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]


@pytest.fixture(autouse=True)
def at_noon() -> Iterator[None]:
    with clock.freeze_at(NOON):
        yield


@WHO_DECIDES
@pytest.mark.parametrize("key", ["range", "head", "moved", "family"])
def test_what_is_lost_of_ranges_is_not_read_and_made_anew(storage: str, key: str) -> None:
    board, period = opened(storage)
    let_sql_follow(period)
    row, part = ScoreRanges.objects.get(), period.parts[1]
    keys = {
        "range": [part.family.range(row.slot)],
        "head": [part.family.range_head(row.slot)],
        "moved": [part.family.moved],
        "family": part.family.all_keys,
    }
    with redis_client() as client:
        client.delete(*keys[key])

    assert shown(board)[0] == expected(POINTS)
    resync_due(NOON)
    with pytest.raises(AssertionError, match="partitions were asked"):
        of_ranges(board)
    followed(board)

    assert ScoreRanges.objects.get().epoch != row.epoch
    assert of_ranges(board) == list(expected(POINTS))


@WHO_DECIDES
def test_ranges_of_another_generation_are_not_read(storage: str) -> None:
    board, period = opened(storage)
    epoch = ScoreRanges.objects.get().epoch
    rebuild(board, period.label, NOON)

    with pytest.raises(AssertionError, match="partitions were asked"):
        of_ranges(board)

    followed(board)
    assert ScoreRanges.objects.get().epoch != epoch
    assert of_ranges(board) == list(expected(POINTS))


def test_ranges_that_have_other_players_than_their_partitions_are_found_out_and_made_anew() -> None:
    board, period = opened("redis")
    row = ScoreRanges.objects.get()
    with redis_client() as client:
        assert client.zpopmax(period.parts[3].family.zset)  # by hand, so that nobody notes it
    ScoreRanges.objects.update(compared_at=None)

    follow(period_of(board), NOON)
    followed(board)

    assert ScoreRanges.objects.get().epoch != row.epoch
    assert in_ranges(board) == in_partitions(board)


@WHO_DECIDES
def test_two_runs_at_once_do_no_harm(storage: str) -> None:
    board, _ = opened(storage)
    score(board, {"p1": 99})
    others = list[bool]()

    def interrupted(*args: Any) -> Any:
        yield from ()
        if not others:
            others.append(False)
            ScoreRanges.objects.update(lease_expires_at=None)  # the other takes this one for dead
            score(board, {"p2": 100})
            others[0] = follow(period_of(board), NOON)
        return (yield from passing(*args))

    with patch.object(score_ranges, "passing", interrupted):
        assert not follow(period_of(board), NOON)

    assert others == [True]
    followed(board)
    assert in_ranges(board) == in_partitions(board)
    assert of_ranges(board)[:2] == ["p2", "p1"]


def test_a_lease_keeps_others_from_following_at_once() -> None:
    board, _ = opened("redis")
    ScoreRanges.objects.update(lease_expires_at=clock_of_sql(5))
    score(board, {"p1": 99})

    assert not follow(period_of(board), NOON)

    ScoreRanges.objects.update(lease_expires_at=clock_of_sql(-1))
    assert follow(period_of(board), NOON)


def clock_of_sql(seconds: int) -> Any:
    return Now() + timedelta(seconds=seconds)


@WHO_DECIDES
def test_who_is_removed_hidden_or_erased_is_in_no_range_that_is_shown(storage: str) -> None:
    board, period = opened(storage)
    remove_player(board, "p40", NOON)
    let_sql_follow(period)
    erase_player("p39", NOON)
    followed(board)

    assert {"p40", "p39"}.isdisjoint(in_ranges(board))
    assert in_ranges(board) == in_partitions(board)
    assert of_ranges(board)[0] == "p38"


@WHO_DECIDES
def test_a_verified_board_has_no_differences_and_its_ranges_still_follow(storage: str) -> None:
    board, period = opened(storage)
    with redis_client() as client:  # a score that is wrong by hand
        client.zadd(period.part_of("p5").family.zset, {period.layout.pack((77,), 0, "p5").member: 77.0})
    if storage == "hybrid":
        verify_all(NOON, 60.0)

        followed(board)
        assert in_ranges(board)["p5"] == in_partitions(board)["p5"]


@WHO_DECIDES
def test_a_period_closes_expires_and_leaves_nothing_of_its_ranges(storage: str) -> None:
    board, period = opened(storage)
    end = NOON + 2 * DAY

    with clock.freeze_at(end):
        assert close_period(period_of(board), end).final
    with clock.freeze_at(end + 31 * DAY):
        assert Period.objects.get(pk=period.pk).state == PeriodState.FINAL
        expire_due(end + 31 * DAY)
        follow_all(end + 31 * DAY)

    with redis_client() as client:
        assert not [key for part in period.parts for key in part.family.all_keys if client.exists(key)]
    assert not ScoreRanges.objects.filter(period=period).exists()


def test_the_next_second_has_work_only_where_a_board_has_ranges() -> None:
    board, _ = opened("redis")

    assert RANGES_TASK in find_due_work()
    board.score_ranges = False
    save_board(board, NOON)
    Period.objects.all().update(rules_json=board.rules.to_json())
    assert RANGES_TASK not in find_due_work()


def test_a_server_that_is_silent_leaves_the_ranges_for_the_next_run() -> None:
    board, _ = opened("hybrid")
    score(board, {"p1": 99})
    run_many: Callable[..., Any] = RedisClient.run_many

    def silent(client: RedisClient, calls: Sequence[Any]) -> Any:
        if any(call.script.name == "range_change" for call in calls):
            raise RedisSilent("nobody answers")
        return run_many(client, calls)

    with patch.object(RedisClient, "run_many", silent):
        assert not follow(period_of(board), NOON)

    assert shown(board)[0]["p1"] == 1
    followed(board)
    assert of_ranges(board)[0] == "p1"


def test_a_member_that_nobody_has_any_more_leaves_the_ranges_when_verifying_removes_it() -> None:
    board, period = opened("redis", tie_break="member")
    orphan, part = period.layout.pack((77,), 1, "p5").member, period.part_of("p5")
    with redis_client() as client:
        client.zadd(part.family.zset, {orphan: 77.0})  # by hand
    with cutting_anew():
        for _ in range(2):
            follow(period_of(board), NOON)  # so that ranges are filled with it
    assert orphan in in_range(period)

    assert sum(each.differences for each in verify_all(NOON, 60.0)) == 1
    followed(board)

    assert orphan not in in_range(period)
    assert in_ranges(board) == in_partitions(board)


def in_range(period: Period) -> set[str]:
    """The members of all ranges that are read."""
    slot = ScoreRanges.objects.get().slot
    with redis_client() as client:
        found = [client.zrange(each.family.range(slot), 0, -1) for each in period.parts]
    return {member.decode() for members in found for member in members}
