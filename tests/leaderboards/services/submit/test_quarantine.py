"""What breaks a limit of plausibility is neither ranked nor lost, on every storage, and known when it comes again."""

from datetime import timedelta
from typing import Any

import pytest

from leaderboards.core.input.entries import read_entry
from leaderboards.core.submissions import Caller, Outcome
from leaderboards.models import Board, Player, QuarantinedEntry
from leaderboards.services.board_files import apply_boards
from leaderboards.services.submit.pipeline import submit
from tests.leaderboards.services.contest import told
from tests.leaderboards.services.site import NOON, crowd, follow, make_board, period_of, points, redis_away

STORAGES = pytest.mark.parametrize("storage", ["sql", "hybrid", "redis"])
SECOND = timedelta(seconds=1)


def send(board: Board, *raw: dict[str, Any], at: Any = NOON, **options: Any) -> list[Outcome]:
    entries = [read_entry({"board": board.seq, **each}, place) for place, each in enumerate(raw)]
    return submit(entries, Caller("game", **options), at)


def of(player: str, points: int, **more: Any) -> dict[str, Any]:
    return {"player": player, "points": points, **more}


def stand(board: Board) -> dict[str, Any]:
    follow(period_of(board))
    return points(board)


def waiting() -> list[tuple[Any, ...]]:
    return [(row.player.external_id, row.rule, row.observed, row.limit) for row in QuarantinedEntry.objects.all()]


@STORAGES
class TestBreaches:
    def test_what_breaks_a_limit_is_kept_and_not_ranked_and_its_neighbours_count(self, storage: str) -> None:
        board = make_board(storage, plausible_least=2, plausible_most=100, decimals=1)

        outcomes = send(board, of("a", 50), of("b", 101), of("c", 1), of("d", 100))

        assert told(outcomes) == ["updated", "plausible_most", "plausible_least", "updated"]
        assert [each.status.value for each in outcomes[1:3]] == ["quarantined", "quarantined"]
        assert [each.period for each in outcomes[1:3]] == [period_of(board).label] * 2
        assert stand(board) == {"a": 500, "d": 1000}
        assert waiting() == [("b", "plausible_most", 101, 100), ("c", "plausible_least", 1, 2)]

    def test_the_same_request_twice_is_told_the_same_and_kept_once(self, storage: str) -> None:
        board = make_board(storage, plausible_most=100)
        entry = of("a", 101, id="m1")

        first = send(board, entry, entry)
        again = send(board, entry, at=NOON + timedelta(days=1))
        other = send(board, of("a", 50, id="m1"), {**entry, "player": "b"})

        assert told(first) == told(again) * 2 == ["plausible_most"] * 2
        assert told(other) == ["id_reused"] * 2
        assert waiting() == [("a", "plausible_most", 101, 100)]

    def test_an_id_stays_claimed_once_its_board_has_no_limits_any_more(self, storage: str) -> None:
        board = make_board(storage, plausible_most=100)
        send(board, of("a", 101, id="m1"))
        apply_boards([{"name": board.name, "plausible_most": None}], NOON)

        again = send(board, of("a", 101, id="m1"), of("b", 101))

        assert told(again) == ["plausible_most", "updated"]
        assert stand(board) == {"b": 101}

    def test_a_minute_is_counted_over_requests_and_what_is_held_back_does_not_count_in_it(self, storage: str) -> None:
        board = make_board(storage, submissions_per_minute=3, update="increment")

        first = send(board, of("a", 1), of("a", 1), of("b", 1))
        second = send(board, of("a", 1), of("a", 1), of("a", 1), at=NOON + 59 * SECOND)
        third = send(board, of("a", 1), of("a", 1), of("a", 1), at=NOON + 61 * SECOND)

        assert told(first) == ["updated"] * 3
        assert told(second) == ["updated", "submissions_per_minute", "submissions_per_minute"]
        assert told(third) == ["updated", "updated", "submissions_per_minute"]
        assert stand(board) == {"a": 5, "b": 1}

    def test_points_of_a_minute_are_added_up(self, storage: str) -> None:
        board = make_board(storage, points_per_minute=100)

        assert told(send(board, of("a", 60), of("a", 40))) == ["updated", "unchanged"]
        assert told(send(board, of("a", 1), of("a", 0), of("b", 100))) == ["points_per_minute", "unchanged", "updated"]
        assert told(send(board, of("a", 1), at=NOON + 60 * SECOND)) == ["unchanged"]

    def test_a_jump_is_held_against_their_own_last_submissions_also_of_the_period_before(self, storage: str) -> None:
        board = make_board(storage, own_jump=3, own_jump_last=3, own_jump_against="median")

        early = send(board, of("a", 9), of("a", 900), of("b", 5))
        send(board, of("a", 10))
        day = timedelta(days=1)
        later = send(board, of("a", 31), of("a", 30), of("b", 500), at=NOON + day)

        assert told(early) == ["updated", "updated", "updated"]
        assert told(later) == ["own_jump", "updated", "updated"]
        assert waiting() == [("a", "own_jump", 31, 30)]

    def test_a_jump_is_held_against_the_first_place_once_enough_have_scored(self, storage: str) -> None:
        board = make_board(storage, field_jump=2, field_jump_players=3)

        few = send(board, of("a", 10), of("b", 500))
        send(board, of("c", 20))
        enough = send(board, of("d", 1000), of("e", 1001))

        assert told(few) == ["updated", "updated"]
        assert told(enough) == ["updated", "field_jump"]
        assert waiting() == [("e", "field_jump", 1001, 1000)]

    def test_where_sums_are_kept_the_sum_is_held_against_the_field(self, storage: str) -> None:
        board = make_board(storage, field_jump=2, field_jump_players=2, update="increment")
        crowd(board, {"a": 10, "b": 20})

        assert told(send(board, of("b", 20), of("a", 31))) == ["updated", "field_jump"]

    def test_where_less_is_better_a_jump_goes_down(self, storage: str) -> None:
        board = make_board(storage, own_jump=2, own_jump_last=1, field_jump=4, field_jump_players=2, order="asc")

        assert told(send(board, of("a", 100), of("b", 400))) == ["updated", "updated"]
        assert told(send(board, of("a", 49), of("a", 50), of("c", 24))) == ["own_jump", "updated", "field_jump"]
        assert waiting() == [("a", "own_jump", 49, 50), ("c", "field_jump", 24, 25)]

    def test_a_board_of_criteria_counts_the_submissions_of_a_minute(self, storage: str) -> None:
        board = make_board(storage, submissions_per_minute=1, criteria=[{"name": "stage", "max": 9, "order": "desc"}])
        entry = {"player": "a", "fields": {"stage": 3}}

        assert told(send(board, entry, entry)) == ["updated", "submissions_per_minute"]
        assert QuarantinedEntry.objects.get().value_text == "stage 3"

    def test_what_counted_and_is_sent_again_is_a_duplicate_though_the_minute_is_full(self, storage: str) -> None:
        board = make_board(storage, submissions_per_minute=1, plausible_most=100)
        send(board, of("a", 5, id="m1"))

        again = send(board, of("a", 5, id="m1"))
        apply_boards([{"name": board.name, "plausible_most": 1}], NOON)
        late = send(board, of("a", 5, id="m1"))

        assert told(again) == told(late) == ["duplicate"]
        assert not QuarantinedEntry.objects.exists()

    def test_a_rehearsal_says_the_same_and_keeps_nothing(self, storage: str) -> None:
        board = make_board(storage, submissions_per_minute=1)
        entries = [read_entry({"board": board.seq, "player": "a", "points": 5}, place) for place in range(2)]

        rehearsed = submit(entries, Caller("game"), NOON, dry_run=True)
        done = submit(entries, Caller("game"), NOON)

        assert told(rehearsed) == ["updated", "submissions_per_minute"]
        assert told(done) == ["updated", "submissions_per_minute"]
        assert QuarantinedEntry.objects.count() == 1

    def test_what_somebody_has_looked_at_is_held_against_nothing(self, storage: str) -> None:
        board = make_board(storage, plausible_most=1, submissions_per_minute=1)

        assert told(send(board, of("a", 5), of("a", 6), is_trusted=True)) == ["updated", "updated"]

    def test_who_may_not_score_is_refused_and_not_kept(self, storage: str) -> None:
        board = make_board(storage, plausible_most=1)
        Player.objects.create(external_id="a", banned_at=NOON)

        assert told(send(board, of("a", 5))) == ["banned"]
        assert not QuarantinedEntry.objects.exists()


def test_while_redis_is_away_a_redis_board_with_limits_refuses_and_keeps_nothing() -> None:
    board = make_board("redis", plausible_most=1, submissions_per_minute=1)

    with redis_away():
        outcomes = send(board, of("a", 5), of("b", 1))

    assert told(outcomes) == ["unavailable", "unavailable"]
    assert not QuarantinedEntry.objects.exists()
