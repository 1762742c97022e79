"""Submitting: ids, times, bans and rehearsals. What a policy makes of it is the contract's."""

from datetime import timedelta

import pytest

from foundation import redis
from leaderboards import selectors
from leaderboards.models import Period, Player, Standing, Submission
from leaderboards.services.close import close_period
from leaderboards.stores.zset_settling import ZsetSettler
from tests.contracts.arena import NOW, Arena, Sent
from tests.leaderboards.services.sending import TURN, WHO_DECIDES, opened, send, told

pytestmark = pytest.mark.contract

SECOND, HOUR = timedelta(seconds=1), timedelta(hours=1)


def finish(arena: Arena) -> None:
    """The first period is final, and Redis was started again since."""
    period = Period.objects.select_related("board").get(board=arena.board, label="2026-10")
    assert close_period(period, TURN + HOUR).final
    if arena.storage == "redis":
        ZsetSettler(redis.settling()).forget_generation(period)


@WHO_DECIDES
class TestIds:
    @pytest.mark.parametrize("is_final", [False, True], ids=["turned", "final, and Redis started again"])
    def test_a_repetition_is_known_after_its_period_is_over(self, storage: str, is_final: bool) -> None:
        arena = opened(storage)
        entry = {"player": "a", "points": 5, "id": "m1"}
        send(arena, entry, at=TURN - SECOND)
        if is_final:
            finish(arena)

        again = send(arena, entry, {"player": "b", "points": 1, "id": "m2"}, at=TURN + 3 * HOUR)
        other = send(arena, {**entry, "points": 6}, at=TURN + 3 * HOUR)

        assert [(each.status.value, each.period, each.points) for each in again] == [
            ("duplicate", "2026-10", 5),
            ("updated", "2026-11", 1),
        ]
        assert told(other) == ["id_reused"]

    def test_other_content_is_a_reuse_and_the_same_number_in_other_words_is_not(self, storage: str) -> None:
        arena = opened(storage)
        at = (NOW - timedelta(minutes=1)).isoformat()
        entry = {"player": "a", "points": 50, "id": "m1", "at": at}
        send(arena, entry)

        outcomes = send(
            arena,
            {**entry, "points": "50.0"},
            {**entry, "points": 51},
            {**entry, "player": "b"},
            {"player": "a", "points": 50, "id": "m1"},
        )
        [of_another_game] = send(arena, {**entry, "points": 6}, service="another")

        assert told(outcomes) == ["duplicate", "id_reused", "id_reused", "id_reused"]
        assert (of_another_game.status.value, of_another_game.points) == ("updated", 56)

    def test_a_rejected_entry_does_not_use_its_id_up(self, storage: str) -> None:
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

    def test_one_id_for_two_periods_in_a_request_counts_once(self, storage: str) -> None:
        arena = opened(storage)
        before = {"player": "a", "points": 5, "id": "m1", "at": (TURN - SECOND).isoformat()}

        outcomes = send(arena, before, {"player": "a", "points": 5, "id": "m1"}, at=TURN + 5 * SECOND)

        assert told(outcomes) == ["updated", "id_reused"]


class TestTimes:
    def test_grace_takes_what_happened_in_the_period_before_and_no_longer(self) -> None:
        arena = opened("hybrid")
        entry = {"player": "a", "points": 5, "at": (TURN - timedelta(milliseconds=1)).isoformat()}

        within = send(arena, entry, at=TURN + timedelta(seconds=59, milliseconds=999))
        after = send(arena, entry, at=TURN + 60 * SECOND)

        assert [(each.status.value, each.period) for each in within] == [("updated", "2026-10")]
        assert told(after) == ["period_closed"]

    def test_five_seconds_ahead_count_as_now_and_more_is_refused(self) -> None:
        arena = opened("hybrid")

        outcomes = send(
            arena,
            {"player": "a", "points": 5, "at": (NOW + 5 * SECOND).isoformat()},
            {"player": "b", "points": 5, "at": (NOW + timedelta(seconds=5, milliseconds=1)).isoformat()},
        )

        assert told(outcomes) == ["updated", "in_the_future"]
        [row] = selectors.standings(arena.board, arena.period.label).rows
        assert row.achieved_at == NOW


@WHO_DECIDES
class TestWithoutEffect:
    def test_a_banned_player_is_refused_and_their_neighbours_are_not(self, storage: str) -> None:
        arena = opened(storage)
        Player.objects.create(external_id="a", banned_at=NOW)

        outcomes = send(arena, {"player": "a", "points": 5}, {"player": "b", "points": 5})

        assert told(outcomes) == ["banned", "updated"]

    def test_a_rehearsal_says_the_same_and_leaves_nothing(self, storage: str) -> None:
        arena = opened(storage)
        arena.send(Sent("a", 5, 10))
        arena.mirror()
        entry = {"player": "a", "points": 2, "id": "m1"}
        entries = [entry, entry, {**entry, "points": 3}, {"player": "new", "points": 0}, {"player": "a", "points": -1}]

        rehearsed = send(arena, *entries, dry_run=True)

        assert told(rehearsed) == ["updated", "duplicate", "id_reused", "updated", "out_of_range"]
        assert [each.points for each in rehearsed] == [7, 7, None, 0, None]
        assert list(Player.objects.values_list("external_id", flat=True)) == ["a"]
        assert Standing.objects.count() == 1
        assert Submission.objects.filter(external_id="m1").count() == 0
        arena.agree()
        assert told(send(arena, *entries)) == told(rehearsed)
