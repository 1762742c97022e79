"""Metadata of entries: what is refused, whose a standing has, and what reading it asks for."""

import csv
import io
import json
from datetime import timedelta
from typing import Any

import pytest

from foundation import clock
from leaderboards.models import Period, Standing, Submission
from leaderboards.services.periods.close import close_period
from leaderboards.services.players.erase import erase_player
from tests.leaderboards.api.conftest import Caller, Make, take_redis_away

STORAGES = ("hybrid", "sql")


def nested(levels: int) -> object:
    value: object = 1
    for _ in range(levels):
        value = [value]
    return value


def of_players(answer: dict[str, Any], rows: str = "rows") -> dict[str, Any]:
    return {row["player"]: row.get("metadata") for row in answer[rows]}


@pytest.mark.parametrize("storage", STORAGES)
def test_a_standing_has_the_metadata_of_the_submission_that_set_it(
    make_board: Make, game: Caller, storage: str
) -> None:
    board = make_board(storage=storage)
    ann, bob = ({"board": board, "player": name} for name in ("ann", "bob"))

    game.submit(ann | {"points": 5, "metadata": {"car": "red"}}, bob | {"points": 9})
    game.submit(ann | {"points": 3, "metadata": {"car": "blue"}})
    best = game.get(f"/boards/{board}/standings?metadata=true").json()
    game.submit(ann | {"points": 6})
    without = game.get(f"/boards/{board}/standings?metadata=true").json()

    assert of_players(best) == {"bob": None, "ann": {"car": "red"}}
    assert all("metadata" not in row for row in without["rows"])


@pytest.mark.parametrize("storage", STORAGES)
@pytest.mark.parametrize("update", ["latest", "increment"])
def test_each_policy_and_operator_brings_the_metadata_of_what_it_applied(
    make_board: Make, game: Caller, storage: str, update: str
) -> None:
    board = make_board(storage=storage, update=update, operators=["set", "increment", "decrement"])
    entry = {"board": board, "player": "ann"}

    for nth, operator in enumerate((None, "set", "increment", "decrement")):
        named = {} if operator is None else {"operator": operator}
        game.submit(entry | {"points": 5, "metadata": {"nth": nth}} | named)
        answer = game.get(f"/boards/{board}/players/ann?metadata=true").json()
        assert answer["metadata"] == {"nth": nth}


def test_every_read_of_rows_returns_it_when_asked_and_only_then(make_board: Make, game: Caller) -> None:
    board = make_board()
    game.submit({"board": board, "player": "ann", "points": 5, "metadata": {"car": "red"}})
    reads = {
        "standings?": "rows", "players?ids=ann&": "rows", "players/ann?": None, "players/ann/around?": "rows",
        "view?player=ann&ids=ann&": "list",
    }  # fmt: skip  # as a table

    for path, rows in reads.items():
        plain = game.get(f"/boards/{board}/{path}").json()
        asked = game.get(f"/boards/{board}/{path}metadata=true").json()
        found = asked[rows][0] if rows else asked
        assert found["metadata"] == {"car": "red"}
        assert '"metadata"' not in json.dumps(plain)
        if path.startswith("view"):
            parts = (asked["me"], asked["around"][0], asked["named"][0])
            assert [each["metadata"] for each in parts] == [{"car": "red"}] * 3


def test_metadata_that_changes_alone_changes_the_answer_and_its_etag(make_board: Make, game: Caller) -> None:
    board = make_board(update="latest", period="all_time")
    entry = {"board": board, "player": "ann", "points": 5, "at": "2026-11-20T08:59:58.123Z"}
    path = f"/boards/{board}/standings?metadata=true"

    game.submit(entry | {"metadata": {"nth": 1}})
    first = game.get(path)
    same = game.get(path, If_None_Match=first["ETag"])
    [result] = game.submit(entry | {"metadata": {"nth": 2}})["results"]
    second = game.get(path, If_None_Match=first["ETag"])

    assert same.status_code == 304
    assert result["status"] == "updated"
    assert of_players(second.json()) == {"ann": {"nth": 2}}


@pytest.mark.parametrize("storage", STORAGES)
def test_metadata_is_part_of_what_an_id_stands_for_whatever_the_order_of_its_names(
    make_board: Make, game: Caller, storage: str
) -> None:
    entry = {"board": make_board(storage=storage), "player": "ann", "points": 5, "id": "a"}
    first = entry | {"metadata": {"a": 1, "b": [1.50, None]}}
    again = entry | {"metadata": {"b": [1.50, None], "a": 1}}

    results = game.submit(first)["results"] + game.submit(again, entry, entry | {"metadata": {"a": 2}})["results"]

    assert [each["status"] for each in results] == ["updated", "duplicate", "rejected", "rejected"]
    assert {each["code"] for each in results[2:]} == {"id_reused"}


def test_texts_and_numbers_come_back_as_they_were_sent(make_board: Make, game: Caller) -> None:
    board = make_board()
    sent = (
        '{"price":12.500000000000000001,"big":12345678901234567890123,"text":"김 🏆 \\u0000 \\" </script>","none":{}}'
    )
    body = f'{{"entries": [{{"board": {board}, "player": "ann", "points": 1, "metadata": {sent}}}]}}'

    assert game.send("POST", "/scores", body).json()["accepted"] == 1
    content = game.get(f"/boards/{board}/players/ann?metadata=true").content.decode()

    assert '"price":12.500000000000000001' in content
    assert '"big":12345678901234567890123' in content
    assert json.loads(content)["metadata"]["text"] == json.loads(sent)["text"]


@pytest.mark.parametrize(
    ("metadata", "why"),
    [
        ("text", "must be an object"),
        ([1], "must be an object"),
        (None, "must be an object"),
        ({"a": "x" * 2041}, "2,049 bytes"),
        ({"a": "김" * 700}, "2,108 bytes"),
        ({"a": nested(17)}, "nested more than 16"),
        ({"a": "\ud800"}, "lone surrogate"),
    ],
)
def test_bad_metadata_is_refused_and_its_neighbours_count(
    make_board: Make, game: Caller, metadata: object, why: str
) -> None:
    entry = {"board": make_board(), "player": "ann", "points": 5}

    refused, taken = game.submit(entry | {"metadata": metadata}, entry | {"metadata": {"a": "x" * 2040}})["results"]

    assert (refused["status"], refused["code"]) == ("rejected", "bad_entry")
    assert why in refused["detail"]
    assert taken["status"] == "updated"


@pytest.mark.parametrize("sent", ['{"a": 1, "a": 2}', '{"a": {"b": 1, "b": 1}}'])
def test_a_name_that_stands_twice_is_refused(make_board: Make, game: Caller, sent: str) -> None:
    body = f'{{"entries": [{{"board": {make_board()}, "player": "ann", "points": 1, "metadata": {sent}}}]}}'

    [result] = game.send("POST", "/scores", body).json()["results"]

    assert (result["code"], "stands twice" in result["detail"]) == ("bad_entry", True)


def test_a_number_with_a_giant_exponent_stays_short(make_board: Make, game: Caller) -> None:
    board = make_board()
    body = f'{{"entries": [{{"board": {board}, "player": "ann", "points": 1, "metadata": {{"a": 1e999999}}}}]}}'

    assert game.send("POST", "/scores", body).json()["accepted"] == 1

    assert (Standing.objects.get().metadata or "") == '{"a":1E+999999}'
    assert b'"a":1E+999999' in game.get(f"/boards/{board}/players/ann?metadata=true").content


def test_a_board_of_redis_refuses_it(make_board: Make, game: Caller) -> None:
    board = make_board(storage="redis")
    entry = {"board": board, "player": "ann", "points": 5}

    refused, taken = game.submit(entry | {"metadata": {}}, entry)["results"]

    assert (refused["code"], taken["status"]) == ("bad_entry", "updated")
    assert "keeps no `metadata`" in refused["detail"]
    assert of_players(game.get(f"/boards/{board}/standings?metadata=true").json()) == {"ann": None}


@pytest.mark.parametrize("storage", STORAGES)
def test_erasing_a_player_erases_it(make_board: Make, game: Caller, storage: str) -> None:
    board = make_board(storage=storage)
    game.submit({"board": board, "player": "ann", "points": 5, "metadata": {"car": "red"}})

    erase_player("ann", clock.now())

    assert not Standing.objects.exclude(metadata=None).exists()
    assert not Submission.objects.exclude(metadata=None).exists()


@pytest.mark.parametrize("storage", STORAGES)
def test_a_file_has_a_column_of_it_when_asked_while_the_period_runs_and_once_it_is_final(
    make_board: Make, game: Caller, storage: str
) -> None:
    board = make_board(storage=storage)
    game.submit({"board": board, "player": "ann", "points": 5, "metadata": {"car": "red", "at": [1, None]}})
    game.submit({"board": board, "player": "bob", "points": 4})

    def file(query: str) -> list[list[str]]:
        response = game.get(f"/boards/{board}/standings.csv?period={label}{query}")
        return list(csv.reader(io.StringIO(b"".join(response).decode(), newline="")))

    label = game.get(f"/boards/{board}").json()["period"]["label"]
    running = file("&metadata=true")
    close_period(Period.objects.get(board=board, label=label), clock.now() + timedelta(days=400))
    final, plain = file("&metadata=true"), file("")

    assert [line[-1] for line in running] == ["metadata", '{"at":[1,null],"car":"red"}', ""]
    assert final == running
    assert plain == [line[:-1] for line in running]


def test_a_board_of_redis_has_an_empty_column(make_board: Make, game: Caller) -> None:
    board = make_board(storage="redis")
    game.score(board, ann=5)

    response = game.get(f"/boards/{board}/standings.csv?metadata=true")

    lines = b"".join(response).decode().splitlines()
    assert (lines[0].split(",")[-1], lines[1].split(",")[-1]) == ("metadata", "")


def test_what_changes_in_it_after_the_end_is_in_the_next_file(make_board: Make, game: Caller) -> None:
    board = make_board(storage="sql")
    game.submit({"board": board, "player": "ann", "points": 5, "metadata": {"car": "red"}})
    period = Period.objects.get(board=board, label=game.get(f"/boards/{board}").json()["period"]["label"])
    close_period(period, clock.now() + timedelta(days=400))
    path = f"/boards/{board}/standings.csv?period={period.label}&metadata=true"
    first = game.get(path)
    b"".join(first)

    erase_player("ann", clock.now())
    second = game.get(path)

    assert b"red" not in b"".join(second)
    assert first["ETag"] != second["ETag"]
    assert first["Content-Hash"] == second["Content-Hash"]


def test_while_redis_is_away_it_comes_too(make_board: Make, game: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    board = make_board()
    game.submit({"board": board, "player": "ann", "points": 5, "metadata": {"car": "red"}})
    take_redis_away(monkeypatch)

    answer = game.get(f"/boards/{board}/standings?metadata=true").json()

    assert answer["live"] is False
    assert of_players(answer) == {"ann": {"car": "red"}}
