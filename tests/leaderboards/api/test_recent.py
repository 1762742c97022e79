"""Pages that may be a second old, for callers who allow it."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest

from foundation import clock
from leaderboards.api.routes import standings
from leaderboards.models import Board, Visibility
from leaderboards.services.boards import save_board
from tests.leaderboards.api.conftest import Caller, with_key
from tests.leaderboards.factories import BoardFactory
from tests.leaderboards.services.ranges import let_ranges_follow
from tests.playing import make_board, running, score

pytestmark = pytest.mark.django_db(transaction=True)

A_SECOND = "max-age=1"


def read(caller: Caller, number: int, allowed: str = A_SECOND, query: str = "", **headers: str) -> Any:
    named = {"Cache_Control": allowed} if allowed else {}
    return caller.get(f"/boards/{number}/standings{query}", **named, **headers)


def best(response: Any) -> list[tuple[str, int]]:
    return [(row["player"], row["points"]) for row in response.json()["rows"]]


@pytest.fixture
def number() -> int:
    made = make_board()
    score(made, {"ann": 30})
    return made


@pytest.mark.parametrize("allowed", [A_SECOND, "max-age=60", "no-transform,\tMax-Age=01", 'max-age="5"'])
@pytest.mark.usefixtures("now")
def test_who_allows_a_second_gets_the_page_of_that_second(
    anybody: Caller, number: int, now: list[float], allowed: str
) -> None:
    first = read(anybody, number, allowed)
    score(number, {"bob": 40})

    now[0] += 0.9
    again = read(anybody, number, allowed)
    now[0] += 0.1
    later = read(anybody, number, allowed)

    assert (again.content, again["ETag"], again["Age"]) == (first.content, first["ETag"], "0")
    assert "Age" not in first
    assert "Age" not in later
    assert best(later) == [("bob", 40), ("ann", 30)]


STRICTER = ["max-age=1, no-cache", "no-store, max-age=1", "max-age=0, max-age=5", "max-age=5, min-fresh=5"]
ODD = ["", "max-age=0", "max-age=00", "no-cache", "s-maxage=5", "max-age=", "max-age=-1", "max-age=1abc", "max-age=١"]


@pytest.mark.parametrize("allowed", [*ODD, *STRICTER])
@pytest.mark.usefixtures("now")
def test_all_others_get_what_was_acknowledged_before(anybody: Caller, number: int, allowed: str) -> None:
    read(anybody, number)
    score(number, {"bob": 40})

    assert best(read(anybody, number, allowed)) == [("bob", 40), ("ann", 30)]


@pytest.mark.usefixtures("now")
def test_nothing_is_read_for_it(anybody: Caller, number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    read(anybody, number)
    monkeypatch.setattr(standings, "page_encoded", lambda *_: pytest.fail("the page was read"))

    assert read(anybody, number).status_code == 200


@pytest.mark.usefixtures("now")
def test_a_page_is_of_its_own_parameters(anybody: Caller, number: int) -> None:
    score(number, {"bob": 40})
    read(anybody, number, query="?limit=1")

    assert best(read(anybody, number, query="?limit=2")) == [("bob", 40), ("ann", 30)]


@pytest.mark.usefixtures("now")
def test_who_has_the_page_is_told_so(anybody: Caller, number: int) -> None:
    tag = read(anybody, number)["ETag"]

    same = read(anybody, number, If_None_Match=tag)
    other = read(anybody, number, If_None_Match='W/"other"')

    assert (same.status_code, same.content, same["ETag"]) == (304, b"", tag)
    assert (other.status_code, other["ETag"]) == (200, tag)


@pytest.mark.usefixtures("now")
def test_it_is_kept_where_all_who_ask_have_it_already(
    anybody: Caller, number: int, now: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    tag = read(anybody, number)["ETag"]
    now[0] += 1

    first = read(anybody, number, If_None_Match=tag)
    monkeypatch.setattr(standings, "page_encoded", lambda *_: pytest.fail("the page was read"))
    second = read(anybody, number, If_None_Match=tag)

    assert ("Age" in first, second["Age"]) == (False, "0")
    assert (first.status_code, second.status_code) == (304, 304)


@pytest.mark.usefixtures("now")
def test_an_address_in_other_words_is_the_same_page(
    anybody: Caller, number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    read(anybody, number, query="?limit=7")
    monkeypatch.setattr(standings, "page_encoded", lambda *_: pytest.fail("the page was read"))

    for same in ("?limit=07", "?limit=%37", "?offset=0&limit=7"):
        assert read(anybody, number, query=same).status_code == 200


def test_a_board_that_becomes_private_is_shown_to_nobody_after_that(anybody: Caller, number: int) -> None:
    board = Board.objects.get(pk=number)
    assert read(anybody, number).status_code == 200

    board.visibility = Visibility.PRIVATE
    save_board(board)

    assert read(anybody, number).status_code == 401


def test_pages_of_other_sites_may_say_so(anybody: Caller, number: int) -> None:
    asked = anybody.send("OPTIONS", f"/boards/{number}/standings")

    assert "Cache-Control" in asked["Access-Control-Allow-Headers"]
    assert "Age" in read(anybody, number)["Access-Control-Expose-Headers"]


@pytest.mark.usefixtures("now")
def test_rows_that_only_a_key_may_ask_for_are_not_given_to_others(anybody: Caller, number: int) -> None:
    assert read(with_key("scores:write"), number, query="?limit=200").status_code == 200

    assert read(anybody, number, query="?limit=200").status_code == 422


@pytest.mark.usefixtures("now")
def test_private_boards_are_always_read_anew(number: int) -> None:
    board = Board.objects.get(pk=number)
    board.visibility = Visibility.PRIVATE
    save_board(board)
    reader = with_key("boards:read")
    read(reader, number)
    score(number, {"bob": 40})

    assert best(read(reader, number)) == [("bob", 40), ("ann", 30)]


@pytest.mark.usefixtures("now")
def test_a_refusal_is_not_kept(anybody: Caller, number: int) -> None:
    assert read(anybody, number + 1).status_code == 404

    BoardFactory.create(seq=number + 1)
    score(number + 1, {"cyd": 1})

    assert best(read(anybody, number + 1)) == [("cyd", 1)]


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("standings", lambda answer: [row["player"] for row in answer["rows"]]),
        ("players?ids=ann&ids=bob", lambda answer: [(row["player"], row["rank"]) for row in answer["rows"]]),
        ("players/bob", lambda answer: answer["rank"]),
        ("players/bob/around", lambda answer: [row["player"] for row in answer["rows"]]),
    ],
)
def test_from_score_ranges_an_answer_may_be_as_old_as_its_caller_says(
    anybody: Caller, path: str, shown: Callable[[Any], Any]
) -> None:
    number = make_board(storage="redis", partitions=4, score_ranges=True)
    score(number, {"ann": 30, "bob": 20})
    let_ranges_follow(running(number), clock.now())
    before, began = shown(anybody.get(f"/boards/{number}/{path}").json()), clock.now()
    score(number, {"eve": 90})

    old = anybody.get(f"/boards/{number}/{path}", Cache_Control="max-age=10").json()
    fresh = [
        anybody.get(f"/boards/{number}/{path}", **headers).json()
        for headers in ({}, {"Cache_Control": "max-age=10, no-cache"}, {"Cache_Control": "max-age=0"})
    ]

    assert shown(old) == before
    assert datetime.fromisoformat(old["as_of"]) < began
    assert all(shown(each) != before for each in fresh)
    assert all(datetime.fromisoformat(each["as_of"]) > began for each in fresh)
