"""Refreshing a page: what has not changed is not sent again, and what is not live says so."""

import re
from html import unescape

import pytest
from django.test import Client

from tests.leaderboards.api.conftest import take_redis_away
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
    for whole in ("/", f"/boards/{board}/"):  # a page carries the tag of its parts
        etag = unescape(re.findall('data-etag="([^"]+)"', client.get(whole).content.decode())[0])
        assert client.get(f"{whole}?fragment=1", headers={"If-None-Match": etag}).status_code == 304


def test_viewers_and_languages_have_etags_of_their_own_and_no_shared_cache_keeps_them(client: Client) -> None:
    board = make_board()
    score(board, {"robin": 5})
    address = f"/boards/{board}/?fragment=1"

    answers = [client.get(f"{address}{viewer}") for viewer in ("", "&player=robin", "&player=mina")]
    answers.append(client.get(address, headers={"Accept-Language": "ko"}))

    assert len({answer["ETag"] for answer in answers}) == 4
    for answer in answers:
        assert answer["Cache-Control"] == "private, no-cache"
        assert {"Cookie", "Accept-Language"} <= {each.strip() for each in answer["Vary"].split(",")}


def test_without_redis_the_page_says_as_of_when_and_not_live(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    board = make_board(timezone="Asia/Seoul")
    score(board, {"robin": 5})
    take_redis_away(monkeypatch)

    page = text(client.get(f"/boards/{board}/"))

    assert "1 robin 5" in page
    assert re.search(r"As of \d\d:\d\d:\d\d Asia/Seoul , not live", page)
