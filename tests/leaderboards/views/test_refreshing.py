"""Refreshing a page: what has not changed is not sent again, and what an answer costs."""

import re
from collections.abc import Sequence
from datetime import timedelta
from html import unescape

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from foundation import clock, redis
from foundation.lua import Script
from leaderboards.selectors import board_by_seq
from tests.leaderboards.views.pages import text
from tests.playing import make_board, score

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_fragment_that_has_not_changed_is_304(client: Client) -> None:
    board = make_board()
    score(board, {"robin": 5})
    address = f"/boards/{board}/?fragment=1&player=robin"
    first = client.get(address)

    same = client.get(address, headers={"If-None-Match": first["ETag"]})
    score(board, {"robin": 6})
    changed = client.get(address, headers={"If-None-Match": first["ETag"]})

    assert first["ETag"].startswith('W/"')
    assert (same.status_code, same.content) == (304, b"")
    assert changed.status_code == 200
    assert changed["ETag"] != first["ETag"]
    assert "<html" not in changed.content.decode()
    assert "6 points" in text(changed)


def test_the_page_carries_the_etag_of_its_parts(client: Client) -> None:
    board = make_board()
    for address in ("/", f"/boards/{board}/"):
        page = client.get(address).content.decode()
        etag = unescape(re.findall('data-etag="([^"]+)"', page)[0])

        assert client.get(f"{address}?fragment=1", headers={"If-None-Match": etag}).status_code == 304


def test_viewers_and_languages_have_etags_of_their_own(client: Client) -> None:
    board = make_board()
    score(board, {"robin": 5})
    address = f"/boards/{board}/?fragment=1"

    etags = {
        client.get(address)["ETag"],
        client.get(address, headers={"Accept-Language": "ko"})["ETag"],
        client.get(f"{address}&player=robin")["ETag"],
        client.get(f"{address}&player=mina")["ETag"],
    }

    assert len(etags) == 4


def test_answers_are_kept_by_no_shared_cache(client: Client) -> None:
    response = client.get(f"/boards/{make_board()}/")

    assert response["Cache-Control"] == "private, no-cache"
    assert {"Cookie", "Accept-Language"} <= {each.strip() for each in response["Vary"].split(",")}


def test_without_redis_the_page_says_as_of_when_and_not_live(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    board = make_board(timezone="Asia/Seoul")
    score(board, {"robin": 5})

    def away() -> redis.Link:
        raise redis.RedisAway("Redis is away.")

    monkeypatch.setattr(redis, "boards", away)
    page = text(client.get(f"/boards/{board}/"))

    assert "1 robin 5" in page
    assert re.search(r"As of \d\d:\d\d:\d\d Asia/Seoul , not live", page)


def test_a_final_period_does_not_refresh(client: Client) -> None:
    board = make_board()
    score(board, {"mina": 3}, clock.now() - timedelta(weeks=1))
    period = board_by_seq(board).periods.order_by("starts_at")[0]
    period.state = "final"
    period.save()

    page = client.get(f"/boards/{board}/?period={period.label}")

    assert "data-live" not in page.content.decode()
    assert "Final standings" in text(page)


def count_round_trips(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Filled from now on with each script that the boards' Redis is sent."""
    trips: list[object] = []
    link = redis.boards()
    run = link.run

    def counted(script: Script, keys: Sequence[str], args: Sequence[redis.Argument]) -> object:
        trips.append(script)
        return run(script, keys, args)

    monkeypatch.setattr(link, "run", counted)
    return trips


def test_a_page_costs_the_same_few_queries_however_full_it_is(
    client: Client, django_assert_max_num_queries: DjangoAssertNumQueries, monkeypatch: pytest.MonkeyPatch
) -> None:
    board = make_board()
    score(board, {f"p{number:03d}": 1000 - number for number in range(120)})
    client.get(f"/boards/{board}/")
    trips = count_round_trips(monkeypatch)

    with django_assert_max_num_queries(7):
        client.get(f"/boards/{board}/?player=p099")

    assert len(trips) == 1
