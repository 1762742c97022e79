"""Periods of competitions are periods like others: players are removed, and the schedule looks after them."""

import pytest

from leaderboards.errors import NotRanked, PeriodClosed
from leaderboards.models import Player, State, Submission
from leaderboards.selectors import ranks
from leaderboards.services.close import close_due, close_period
from leaderboards.services.extend import move_end
from leaderboards.services.mirror import mirror_all
from leaderboards.services.remove import remove_from
from leaderboards.services.retain import drop_submissions, expire_due
from leaderboards.services.settle import settle_due
from leaderboards.services.verify import verify_all
from tests.leaderboards.services.contest import ENDS, KnownEvents, event_board, period_of, send, told
from tests.leaderboards.services.site import DAY, NOON, final, follow, redis_client

pytestmark = pytest.mark.django_db(transaction=True)

STORAGES = pytest.mark.parametrize("storage", ["hybrid", "redis", "sql"])
BY_SQL = pytest.mark.parametrize("storage", ["hybrid", "sql"])


class TestRemoving:
    @STORAGES
    def test_a_player_is_taken_out_and_the_others_move_up(self, declared: KnownEvents, storage: str) -> None:
        event = declared.add(event_board(storage))
        send({"player": "a", "points": 30}, {"player": "b", "points": 20})

        remove_from(period_of(event), "a", NOON)

        [outcome] = send({"player": "b", "points": 10}, ranks=True)
        assert (outcome.status, outcome.rank) == ("unchanged", 1)
        with pytest.raises(NotRanked):
            remove_from(period_of(event), "a", NOON)

    @BY_SQL
    def test_the_attempts_of_a_removed_player_stay_used(self, declared: KnownEvents, storage: str) -> None:
        event = declared.add(event_board(storage), attempts=1)
        send({"player": "a", "points": 30})

        remove_from(period_of(event), "a", NOON)

        assert told(send({"player": "a", "points": 40})) == ["too_many_attempts"]

    def test_nobody_is_taken_out_of_a_closed_period(self, declared: KnownEvents) -> None:
        event = declared.add(event_board())
        send({"player": "a", "points": 30})
        close_period(period_of(event), NOON)

        with pytest.raises(PeriodClosed):
            remove_from(period_of(event), "a", NOON)


@STORAGES
class TestUpkeep:
    def test_what_redis_lost_is_settled(self, declared: KnownEvents, storage: str) -> None:
        event = declared.add(event_board(storage))
        send({"player": "a", "points": 30}, {"player": "b", "points": 20})
        mirror_all()
        with redis_client() as client:
            client.flushdb()

        settle_due(NOON)

        assert told(send({"player": "a", "points": 29}, {"player": "c", "points": 1})) == ["unchanged", "updated"]
        assert ranks(period_of(event), "abc") == {"a": 1, "b": 2, "c": 3}

    def test_both_sides_are_verified_and_it_ends_by_the_schedule(self, declared: KnownEvents, storage: str) -> None:
        event = declared.add(event_board(storage))
        send({"player": "a", "points": 30}, {"player": "b", "points": 20})
        mirror_all()

        verified = verify_all(NOON, seconds=10)
        [closed] = close_due(ENDS + DAY)

        assert [(each.label, each.compared, each.differences) for each in verified if each.label == "c7"] == (
            [] if storage == "sql" else [("c7", 2, 0)]
        )
        assert (closed.label, closed.final, closed.players) == ("c7", True, 2)
        assert [rank for _, rank, _, _ in final(period_of(event))] == [1, 2]

    def test_it_expires_and_its_submissions_go(self, declared: KnownEvents, storage: str) -> None:
        event = declared.add(event_board(storage))
        send({"player": "a", "points": 30})
        close_due(ENDS + DAY)

        later = ENDS + 200 * DAY
        expire_due(later)
        drop_submissions(later)

        assert period_of(event).state == State.EXPIRED
        assert not Submission.objects.exists()
        assert ranks(period_of(event), "a") == {"a": 1}


@STORAGES
def test_who_takes_part_no_more_gets_no_final_rank(declared: KnownEvents, storage: str) -> None:
    event = declared.add(event_board(storage))
    send({"player": "a", "points": 9}, {"player": "b", "points": 5})
    follow(period_of(event))
    declared.no_more = set(Player.objects.filter(external_id="a").values_list("pk", flat=True))

    [closed] = close_due(ENDS + DAY)

    assert (closed.final, closed.players) == (True, 1)
    assert [(rank, member.rpartition("_")[2]) for _, rank, member, _ in final(period_of(event))] == [(1, "b")]


@STORAGES
def test_who_looked_before_the_end_was_moved_closes_nothing(declared: KnownEvents, storage: str) -> None:
    event = declared.add(event_board(storage))
    send({"player": "a", "points": 9})
    looked = period_of(event)
    move_end(period_of(event), ENDS + DAY, NOON)

    closed = close_period(looked, ENDS + DAY / 2)

    assert (closed.final, period_of(event).state) == (False, State.OPEN)
    assert told(send({"player": "a", "points": 10})) == ["updated"]
    with redis_client() as client:
        assert [client.ttl(key) for key in client.keys("*LeaderBoard*")] == [-1] * client.dbsize()
