"""POST /scores: what is answered, and what that asks of Redis. What each storage makes of it: tests/contracts."""

import json
from collections.abc import Sequence
from datetime import timedelta
from decimal import Decimal

import pytest

from foundation import clock
from foundation.redis import client as redis
from foundation.redis.client import Argument, RedisClient
from leaderboards.models import Standing
from tests.leaderboards.api.conftest import Caller, Make, problem, take_redis_away, with_key, wrong_parameter


def test_a_score_is_answered_with_the_players_standing(make_board: Make, game: Caller) -> None:
    board = make_board()

    answer = game.score(board, alice=150)
    worse = game.score(board, alice=100)

    period = game.get(f"/boards/{board}").json()["period"]["label"]
    result = {"status": "updated", "player": "alice", "board": board, "period": period, "points": 150}
    assert answer == {"accepted": 1, "rejected": 0, "results": [result]}
    assert worse == {"accepted": 1, "rejected": 0, "results": [result | {"status": "unchanged"}]}


def test_an_id_sent_again_is_a_duplicate_that_changes_nothing(make_board: Make, game: Caller) -> None:
    board = make_board(update="increment")
    entry = {"board": board, "player": "alice", "points": 5, "id": "match-1:alice"}
    game.submit(entry)

    answer = game.submit(entry, entry | {"points": 6}, entry | {"points": "5.0"})
    elsewhere = with_key("scores:write", name="another game").submit(entry)

    statuses = [(each["status"], each.get("points"), each.get("code")) for each in answer["results"]]
    assert statuses == [("duplicate", 5, None), ("rejected", None, "id_reused"), ("duplicate", 5, None)]
    assert [(each["status"], each["points"]) for each in elsewhere["results"]] == [("updated", 10)]


def test_a_dry_run_judges_and_applies_nothing_and_a_misspelled_question_is_refused(
    make_board: Make, game: Caller
) -> None:
    board = make_board()
    entries = [{"board": board, "player": "alice", "points": 5, "id": "a"}, {"board": board, "player": "bob"}]

    answer = game.submit(*entries, query="?dry_run=true")

    assert [each["status"] for each in answer["results"]] == ["updated", "rejected"]
    for query in ("dry_run=perhaps", "dry_run=", "ranks=2", "dryrun=true"):
        response = game.send("POST", f"/scores?{query}", {"entries": entries})
        assert wrong_parameter(response) == query.partition("=")[0]
    assert game.get(f"/boards/{board}/standings").json()["rows"] == []
    assert not Standing.objects.exists()
    assert game.submit(*entries)["results"][0]["status"] == "updated"


def test_ranks_are_told_on_request_with_null_for_who_is_new(make_board: Make, game: Caller) -> None:
    board = make_board()
    old = {"board": board, "player": "bob", "points": 20, "id": "bob"}
    unasked = game.submit({"board": board, "player": "alice", "points": 10}, old)

    answer = game.submit(
        {"board": board, "player": "alice", "points": 30},
        {"board": board, "player": "carol", "points": 25},
        {"board": board, "player": "carol"},
        old,
        query="?ranks=true",
    )

    ranks = [(each["status"], each.get("rank"), each.get("previous_rank")) for each in answer["results"]]
    assert ranks == [("updated", 1, 2), ("updated", 2, None), ("rejected", None, None), ("duplicate", 3, 1)]
    for each in (answer["results"][2], *unasked["results"]):
        assert not {"rank", "previous_rank"} & set(each)


def test_points_are_exact_numbers_and_fields_stand_in_their_place(make_board: Make, game: Caller) -> None:
    most = 2_000_000_000
    board = make_board(decimals=6, maximum=most, total_maximum=most, update="increment", ties="shared")
    criteria = [{"name": "stage", "max": 32750, "order": "desc"}, {"name": "men", "max": 255, "order": "asc"}]
    raid = make_board("Raid", criteria=criteria)

    sent = (("a", "0.1"), ("a", "0.2"), ("b", "1999999999.999999"), ("c", "1e2"), ("d", 12.50))
    entries: list[object] = [{"board": board, "player": player, "points": points} for player, points in sent]
    entries.append({"board": raid, "player": "d", "fields": {"men": 230, "stage": 23346}})

    response = game.send("POST", "/scores", {"entries": entries})

    *exact, of_fields = json.loads(response.content, parse_float=Decimal)["results"]
    assert [str(each["points"]) for each in exact] == ["0.1", "0.3", "1999999999.999999", "100", "12.5"]
    assert of_fields["fields"] == {"stage": 23346, "men": 230}
    assert "points" not in of_fields


def test_while_redis_is_away_a_redis_board_cannot_decide_and_the_others_can(
    make_board: Make, game: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    hybrid, burst = make_board("Hybrid"), make_board("Burst", storage="redis")
    take_redis_away(monkeypatch)

    alone = game.send("POST", "/scores", {"entries": [{"board": burst, "player": "a", "points": 1}]})
    both = game.submit(*({"board": seq, "player": "a", "points": 1} for seq in (burst, hybrid)))

    told = problem(alone, 503, "unavailable")
    assert alone["Retry-After"] == "1"
    assert [each["code"] for each in told["results"]] == ["unavailable"]
    assert (told["accepted"], told["rejected"]) == (0, 1)
    assert [each.get("code") for each in both["results"]] == ["unavailable", None]


def test_a_process_whose_clock_is_off_takes_no_submissions(
    make_board: Make, game: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    board = make_board()
    monkeypatch.setattr(clock, "offset_from_sql", lambda: timedelta(seconds=2.5))
    monkeypatch.setattr(clock, "_comparison", clock._Comparison())

    response = game.send("POST", "/scores", {"entries": [{"board": board, "player": "a", "points": 1}]})

    assert "clock" in problem(response, 503, "unavailable")["detail"]
    assert not Standing.objects.exists()


def test_a_score_is_one_round_trip_to_the_boards_and_a_thousand_are_four(
    make_board: Make, game: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    board = make_board(storage="redis")
    game.score(board, alice=1)
    asked: list[RedisClient] = []
    exchange = RedisClient._exchange

    def counted(link: RedisClient, commands: Sequence[Sequence[Argument]]) -> list[object]:
        asked.extend([link] if commands else [])
        return exchange(link, commands)

    monkeypatch.setattr(RedisClient, "_exchange", counted)
    trips = []
    for count in (1, 1000):
        asked.clear()
        game.score(board, **{f"p{nth}": nth for nth in range(count)})
        trips.append(asked.count(redis.boards()))

    assert trips == [1, 4]
