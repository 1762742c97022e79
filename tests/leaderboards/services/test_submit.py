"""Submitting: ids, times, bans and rehearsals. What a policy makes of it is the contracts'."""

from datetime import datetime, timedelta

import pytest

from foundation import redis
from leaderboards import selectors
from leaderboards.core.entries import read_entry
from leaderboards.core.submissions import Caller
from leaderboards.models import Period, Player, Standing, State, Submission
from leaderboards.services.boards import retire
from leaderboards.services.close import close_period
from leaderboards.services.submit import submit
from leaderboards.stores.zset_settling import ZsetSettler
from tests.contracts.arena import NOW, Sent
from tests.leaderboards.services.sending import STORAGES, opened, send, told

pytestmark = [pytest.mark.contract, pytest.mark.django_db(transaction=True)]

TURN = datetime.fromisoformat("2026-03-09T00:00:00+00:00")  # the end of NOW's week


@STORAGES
class TestIds:
    def test_a_repetition_is_known_after_the_period_has_turned(self, links: None, storage: str) -> None:
        arena = opened(storage)
        entry = {"player": "a", "points": 5, "id": "m1"}
        send(arena, entry, at=TURN - timedelta(seconds=1))

        again = send(arena, entry, at=TURN + timedelta(hours=3))
        other = send(arena, {**entry, "points": 6}, at=TURN + timedelta(hours=3))

        assert [(each.status.value, each.period, each.points) for each in again] == [("duplicate", "2026-10", 5)]
        assert told(other) == ["id_reused"]

    def test_a_repetition_is_known_after_its_period_is_final_and_redis_was_started_again(
        self, links: None, storage: str
    ) -> None:
        arena = opened(storage)
        entry = {"player": "a", "points": 5, "id": "m1"}
        send(arena, entry, at=TURN - timedelta(seconds=1))
        period = Period.objects.select_related("board").get(board=arena.board, label="2026-10")
        assert close_period(period, TURN + timedelta(hours=1)).final
        if storage == "redis":  # what a restart does to a final period
            ZsetSettler(redis.settling()).forget_generation(period)

        again = send(arena, entry, {"player": "b", "points": 1, "id": "m2"}, at=TURN + timedelta(hours=3))
        other = send(arena, {**entry, "points": 6}, at=TURN + timedelta(hours=3))

        assert [(each.status.value, each.period, each.points) for each in again] == [
            ("duplicate", "2026-10", 5),
            ("updated", "2026-11", 1),
        ]
        assert told(other) == ["id_reused"]

    def test_other_content_is_a_reuse_and_the_same_number_in_other_words_is_not(
        self, links: None, storage: str
    ) -> None:
        arena = opened(storage)
        at = (NOW - timedelta(minutes=1)).isoformat()
        send(arena, {"player": "a", "points": 50, "id": "m1", "at": at})

        outcomes = send(
            arena,
            {"player": "a", "points": "50.0", "id": "m1", "at": at},
            {"player": "a", "points": 51, "id": "m1", "at": at},
            {"player": "b", "points": 50, "id": "m1", "at": at},
            {"player": "a", "points": 50, "id": "m1"},
        )

        assert told(outcomes) == ["duplicate", "id_reused", "id_reused", "id_reused"]

    def test_a_rejected_entry_does_not_use_its_id_up(self, links: None, storage: str) -> None:
        arena = opened(storage)

        first = send(
            arena,
            {"player": "a", "points": -1, "id": "m1"},
            {"player": "a", "points": 2**31 - 1, "id": "m2"},
            {"player": "a", "points": 1, "id": "m3"},
            {"player": "a", "points": 0, "id": "m3"},
        )
        second = send(arena, {"player": "a", "points": 0, "id": "m1"}, {"player": "b", "points": 7, "id": "m3"})

        assert told(first) == ["out_of_range", "updated", "out_of_range", "unchanged"]
        assert told(second) == ["unchanged", "id_reused"]

    def test_one_id_twice_in_a_request_counts_once(self, links: None, storage: str) -> None:
        arena = opened(storage)
        entry = {"player": "a", "points": 5, "id": "m1"}

        rehearsed = send(arena, entry, entry, {**entry, "points": 6}, dry_run=True)
        outcomes = send(arena, entry, entry, {**entry, "points": 6})

        assert told(outcomes) == ["updated", "duplicate", "id_reused"]
        assert told(rehearsed) == told(outcomes)
        assert outcomes[1].points == 5

    def test_one_id_for_two_periods_in_a_request_counts_once(self, links: None, storage: str) -> None:
        arena = opened(storage)
        before = {"player": "a", "points": 5, "id": "m1", "at": (TURN - timedelta(seconds=1)).isoformat()}

        outcomes = send(arena, before, {"player": "a", "points": 5, "id": "m1"}, at=TURN + timedelta(seconds=5))

        assert told(outcomes) == ["updated", "id_reused"]

    def test_two_services_may_use_one_id(self, links: None, storage: str) -> None:
        arena = opened(storage)
        send(arena, {"player": "a", "points": 5, "id": "m1"})
        entry = read_entry({"board": arena.board.seq, "player": "a", "points": 6, "id": "m1"}, 0)

        outcomes = submit([entry], Caller("another"), NOW)

        assert [(each.status.value, each.points) for each in outcomes] == [("updated", 11)]


@STORAGES
class TestTimes:
    def test_grace_takes_what_happened_in_the_period_before_and_no_longer(self, links: None, storage: str) -> None:
        arena = opened(storage)
        entry = {"player": "a", "points": 5, "at": (TURN - timedelta(milliseconds=1)).isoformat()}

        within = send(arena, entry, at=TURN + timedelta(seconds=59, milliseconds=999))
        after = send(arena, entry, at=TURN + timedelta(seconds=60))

        assert [(each.status.value, each.period) for each in within] == [("updated", "2026-10")]
        assert told(after) == ["period_closed"]

    def test_five_seconds_ahead_count_as_now_and_more_is_refused(self, links: None, storage: str) -> None:
        arena = opened(storage)

        outcomes = send(
            arena,
            {"player": "a", "points": 5, "at": (NOW + timedelta(seconds=5)).isoformat()},
            {"player": "b", "points": 5, "at": (NOW + timedelta(seconds=5, milliseconds=1)).isoformat()},
        )

        assert told(outcomes) == ["updated", "in_the_future"]
        [row] = selectors.standings(arena.board, arena.period.label).rows
        assert row.achieved_at == NOW

    def test_a_retired_board_takes_what_belongs_to_its_last_period(self, links: None, storage: str) -> None:
        arena = opened(storage)
        retire(arena.board, NOW)

        running = send(arena, {"player": "a", "points": 5})
        later = send(arena, {"player": "a", "points": 5}, at=TURN)

        assert told(running + later) == ["updated", "period_closed"]

    def test_a_closing_period_takes_nothing(self, links: None, storage: str) -> None:
        arena = opened(storage)
        Period.objects.filter(pk=arena.period.pk).update(state=State.CLOSING)

        assert told(send(arena, {"player": "a", "points": 5})) == ["period_closed"]


@STORAGES
class TestWithoutEffect:
    def test_a_banned_player_is_refused_and_his_neighbours_are_not(self, links: None, storage: str) -> None:
        arena = opened(storage)
        Player.objects.create(external_id="a", banned_at=NOW)

        outcomes = send(arena, {"player": "a", "points": 5}, {"player": "b", "points": 5})

        assert told(outcomes) == ["banned", "updated"]

    def test_a_rehearsal_says_the_same_and_leaves_nothing(self, links: None, storage: str) -> None:
        arena = opened(storage)
        arena.send(Sent("a", 5, 10))
        arena.mirror()
        entries = [
            {"player": "a", "points": 2, "id": "m1"},
            {"player": "new", "points": 0},
            {"player": "a", "points": -1},
        ]

        rehearsed = send(arena, *entries, dry_run=True)

        assert told(rehearsed) == ["updated", "updated", "out_of_range"]
        assert [each.points for each in rehearsed] == [7, 0, None]
        assert list(Player.objects.values_list("external_id", flat=True)) == ["a"]
        assert Standing.objects.count() == 1
        assert Submission.objects.filter(external_id="m1").count() == 0
        arena.agree()
        assert told(send(arena, *entries)) == told(rehearsed)
