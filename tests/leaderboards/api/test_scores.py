"""POST /scores: what is applied, and what is answered."""

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
import time_machine

from foundation import clock
from foundation import redis as links
from leaderboards.models import Player, Standing
from tests.leaderboards.api.conftest import Caller, Make, problem

STORAGES = pytest.mark.parametrize("storage", ["hybrid", "redis", "sql"])


@STORAGES
def test_a_submitted_score_is_answered_with_the_players_standing(make_board: Make, game: Caller, storage: str) -> None:
    board = make_board(storage=storage)

    answer = game.submit({"board": board, "player": "alice", "points": 150})

    (result,) = answer["results"]
    period = game.get(f"/boards/{board}").json()["period"]["label"]
    assert answer == {"accepted": 1, "rejected": 0, "results": [result]}
    assert result == {"status": "updated", "player": "alice", "board": board, "period": period, "points": 150}


@STORAGES
def test_a_worse_best_is_unchanged_and_counts_as_accepted(make_board: Make, game: Caller, storage: str) -> None:
    board = make_board(storage=storage)
    game.submit({"board": board, "player": "alice", "points": 150})

    answer = game.submit({"board": board, "player": "alice", "points": 100})

    assert (answer["accepted"], answer["rejected"]) == (1, 0)
    assert (answer["results"][0]["status"], answer["results"][0]["points"]) == ("unchanged", 150)


@STORAGES
def test_an_id_sent_again_is_a_duplicate_that_changes_nothing(make_board: Make, game: Caller, storage: str) -> None:
    board = make_board(storage=storage, update="increment")
    entry = {"board": board, "player": "alice", "points": 5, "id": "match-1:alice"}
    game.submit(entry)

    answer = game.submit(entry, entry | {"points": 6}, entry | {"points": "5.0"})

    statuses = [(each["status"], each.get("points"), each.get("code")) for each in answer["results"]]
    assert statuses == [("duplicate", 5, None), ("rejected", None, "id_reused"), ("duplicate", 5, None)]


@STORAGES
def test_a_dry_run_judges_and_applies_nothing(make_board: Make, game: Caller, storage: str) -> None:
    board = make_board(storage=storage)
    entries = [{"board": board, "player": "alice", "points": 5, "id": "a"}, {"board": board, "player": "bob"}]

    answer = game.submit(*entries, query="?dry_run=true")

    assert [each["status"] for each in answer["results"]] == ["updated", "rejected"]
    assert game.get(f"/boards/{board}/standings").json()["rows"] == []
    assert game.submit(*entries)["results"][0]["status"] == "updated"


@STORAGES
def test_entries_for_one_player_are_applied_in_their_order(make_board: Make, game: Caller, storage: str) -> None:
    board = make_board(storage=storage, update="increment")

    answer = game.submit(*({"board": board, "player": "alice", "points": points} for points in (1, 2, 3)))

    assert [each["points"] for each in answer["results"]] == [1, 3, 6]


@STORAGES
def test_ranks_are_told_on_request_with_null_for_who_is_new(make_board: Make, game: Caller, storage: str) -> None:
    board = make_board(storage=storage)
    game.submit({"board": board, "player": "alice", "points": 10}, {"board": board, "player": "bob", "points": 20})

    answer = game.submit(
        {"board": board, "player": "alice", "points": 30},
        {"board": board, "player": "carol", "points": 25},
        {"board": board, "player": "carol"},
        query="?ranks=true",
    )

    ranks = [(each.get("rank"), each.get("previous_rank")) for each in answer["results"]]
    assert ranks == [(1, 2), (2, None), (None, None)]
    assert "rank" not in answer["results"][2]


def test_a_repetition_is_no_newcomer(make_board: Make, game: Caller) -> None:
    board = make_board()
    entry = {"board": board, "player": "alice", "points": 10, "id": "a"}
    game.submit(entry)

    (result,) = game.submit(entry, query="?ranks=true")["results"]

    assert (result["status"], result["rank"], result["previous_rank"]) == ("duplicate", 1, 1)


def test_ranks_are_not_told_unasked(make_board: Make, game: Caller) -> None:
    board = make_board()

    (result,) = game.submit({"board": board, "player": "alice", "points": 10})["results"]

    assert not {"rank", "previous_rank"} & set(result)


def test_points_are_exact_numbers_of_the_boards_decimals(make_board: Make, game: Caller) -> None:
    board = make_board(
        decimals=6, maximum=2_000_000_000, total_maximum=2_000_000_000, update="increment", ties="shared"
    )

    response = game.send("POST", "/scores", {"entries": [
        {"board": board, "player": "a", "points": "0.1"},
        {"board": board, "player": "a", "points": "0.2"},
        {"board": board, "player": "b", "points": "1999999999.999999"},
        {"board": board, "player": "c", "points": "1e2"},
        {"board": board, "player": "d", "points": 12.50},
    ]})  # fmt: skip  # as a table

    exact = json.loads(response.content, parse_float=Decimal)
    shown = [str(each["points"]) for each in exact["results"]]
    assert shown == ["0.1", "0.3", "1999999999.999999", "100", "12.5"]


def test_fields_stand_in_place_of_points_on_boards_of_criteria(make_board: Make, game: Caller) -> None:
    board = make_board(
        criteria=[{"name": "stage", "max": 32750, "order": "desc"}, {"name": "men", "max": 255, "order": "asc"}]
    )

    (result,) = game.submit({"board": board, "player": "dave", "fields": {"stage": 23346, "men": 230}})["results"]

    assert result["fields"] == {"stage": 23346, "men": 230}
    assert "points" not in result


def test_the_time_chooses_the_period(make_board: Make, game: Caller) -> None:
    board = make_board(period="day", grace_seconds=86_400)
    now = clock.now()
    yesterday = now - timedelta(days=1)
    with time_machine.travel(now.replace(hour=12), tick=True):
        (result,) = game.submit(
            {"board": board, "player": "alice", "points": 1, "at": f"{yesterday:%Y-%m-%d}T23:00:00+00:00"}
        )["results"]

    assert result["period"] == f"{yesterday:%Y-%m-%d}"


def test_five_seconds_ahead_are_now_and_more_is_the_future(make_board: Make, game: Caller) -> None:
    board = make_board(period="all_time")
    with time_machine.travel(datetime(2026, 11, 20, 9, 0, 0, tzinfo=UTC), tick=False):
        links.boards().reset()
        answer = game.submit(
            {"board": board, "player": "alice", "points": 1, "at": "2026-11-20T09:00:05Z"},
            {"board": board, "player": "bob", "points": 1, "at": "2026-11-20T09:00:06Z"},
            query="?dry_run=true",
        )

    assert [each.get("code") for each in answer["results"]] == [None, "in_the_future"]


def test_unknown_players_are_made_in_any_script(make_board: Make, game: Caller) -> None:
    board = make_board()

    game.submit({"board": board, "player": "민준 🎮", "points": 1}, {"board": board, "player": "Alice", "points": 1},
                {"board": board, "player": "alice", "points": 1})  # fmt: skip  # as a table

    assert set(Player.objects.values_list("external_id", flat=True)) == {"민준 🎮", "Alice", "alice"}


@pytest.mark.parametrize("query", ["?dry_run=perhaps", "?ranks=2", "?dry_run="])
def test_a_question_that_is_neither_true_nor_false_is_refused(make_board: Make, game: Caller, query: str) -> None:
    board = make_board()

    response = game.send("POST", f"/scores{query}", {"entries": [{"board": board, "player": "a", "points": 1}]})

    assert problem(response, 422, "invalid_request")["errors"][0]["parameter"] in ("dry_run", "ranks")
    assert not Standing.objects.exists()


def test_a_misspelled_question_is_refused_before_anything_is_applied(make_board: Make, game: Caller) -> None:
    board = make_board()

    response = game.send("POST", "/scores?dryrun=true", {"entries": [{"board": board, "player": "a", "points": 1}]})

    assert problem(response, 422, "invalid_request")["errors"][0]["parameter"] == "dryrun"
    assert not Standing.objects.exists()


class TestKeys:
    """Whose key may submit, and to which boards."""

    def test_without_a_key_nothing_is_read(self, make_board: Make, anybody: Caller) -> None:
        response = anybody.send("POST", "/scores", "no JSON")

        problem(response, 401, "unauthenticated")
        assert response["WWW-Authenticate"].startswith("Bearer")

    def test_a_wrong_key_is_refused(self, make_key: Callable[..., str]) -> None:
        key = make_key()

        response = Caller(key[:-1] + ("0" if key[-1] != "0" else "1")).send("POST", "/scores", {})

        problem(response, 401, "unauthenticated")

    def test_another_scope_does_not_do(self, make_key: Callable[..., str]) -> None:
        response = Caller(make_key("boards:read", "players:write")).send("POST", "/scores", {})

        assert "scores:write" in problem(response, 403, "forbidden")["detail"]

    def test_a_board_outside_the_keys_is_forbidden_for_its_entries_alone(
        self, make_board: Make, make_key: Callable[..., str]
    ) -> None:
        inside, outside = make_board("In"), make_board("Out")
        limited = Caller(make_key("scores:write", boards=[inside]))

        answer = limited.submit(*({"board": seq, "player": "alice", "points": 1} for seq in (inside, outside)))

        assert [each.get("code") for each in answer["results"]] == [None, "forbidden"]

    def test_two_services_may_use_the_same_id(self, make_board: Make, make_key: Callable[..., str]) -> None:
        board = make_board(update="increment")
        entry = {"board": board, "player": "alice", "points": 1, "id": "1"}

        statuses = [
            Caller(make_key(name=name)).submit(entry)["results"][0]["status"] for name in ("one", "other", "one")
        ]

        assert statuses == ["updated", "updated", "duplicate"]


class TestWhenRedisIsAway:
    """A redis board cannot decide then; the others can."""

    @pytest.fixture(autouse=True)
    def _break(self, make_board: Make, monkeypatch: pytest.MonkeyPatch) -> None:
        self.hybrid, self.redis = make_board("Hybrid"), make_board("Burst", storage="redis")

        def away(*_: object) -> None:
            raise links.RedisAway("Redis is away.")

        monkeypatch.setattr(links.Link, "_wire", away)

    def test_all_unavailable_is_503_with_every_result(self, game: Caller) -> None:
        response = game.send("POST", "/scores", {"entries": [{"board": self.redis, "player": "a", "points": 1}]})

        told = problem(response, 503, "unavailable")
        assert response["Retry-After"] == "1"
        assert [each["code"] for each in told["results"]] == ["unavailable"]
        assert (told["accepted"], told["rejected"]) == (0, 1)

    def test_one_that_can_be_decided_makes_it_200(self, game: Caller) -> None:
        answer = game.submit(*({"board": seq, "player": "a", "points": 1} for seq in (self.redis, self.hybrid)))

        assert [each.get("code") for each in answer["results"]] == ["unavailable", None]

    def test_reads_come_from_sql_and_say_so(self, game: Caller, anybody: Caller) -> None:
        game.submit({"board": self.hybrid, "player": "a", "points": 1})

        answer = anybody.get(f"/boards/{self.hybrid}/standings").json()

        assert answer["live"] is False
        assert [row["player"] for row in answer["rows"]] == ["a"]


def test_a_process_whose_clock_is_off_takes_no_submissions(
    make_board: Make, game: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    board = make_board()
    monkeypatch.setattr(clock, "offset_from_sql", lambda: timedelta(seconds=2.5))
    monkeypatch.setattr(clock, "_comparison", clock._Comparison())

    response = game.send("POST", "/scores", {"entries": [{"board": board, "player": "a", "points": 1}]})

    assert "clock" in problem(response, 503, "unavailable")["detail"]
    assert not Standing.objects.exists()
