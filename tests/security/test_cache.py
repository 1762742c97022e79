"""Whoever may write into the page cache's Redis tries to run code, or to break pages."""

import pickle
from pathlib import Path
from typing import Any

import pytest
import redis
from django.conf import settings
from django.core.cache import cache, caches
from django.test import Client

from accounts.session_store import SessionStore
from foundation import clock
from leaderboards.models import Board
from leaderboards.views.board_pages import shared_page
from leaderboards.views.components import distribution_chart
from leaderboards.views.http import micro_cache
from likes.registry import all_kinds
from likes.services.check import check_all
from tests.leaderboards.api.conftest import Caller, Make
from tests.security.marks import mark, touched

pytestmark = pytest.mark.django_db

ODD = [b"j[1,2", b'j{"total":"x"}', b"j[]", b'j"word"', b"-1", b"", b"j" + b"[" * 100_000, b"\xff\xfe", b"7"]


class Evil:
    """What runs code when it is unpickled."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def __reduce__(self) -> Any:
        return mark, (str(self.file),)


@pytest.mark.parametrize("alias", sorted(settings.CACHES))
def test_what_no_cache_wrote_is_not_run_by_any(alias: str, tmp_path: Path) -> None:
    """Without a connection: those of the boards are the link's own."""
    file, client = tmp_path / "ran", caches[alias].client  # type: ignore[attr-defined]  # each is a RedisCache

    found = client.decode(pickle.dumps(Evil(file)))

    assert not touched(file)
    assert found is None
    assert client.decode(client.encode({"a": [1]})) == {"a": [1]}


def test_a_pickle_in_a_cache_is_not_run(redis_server: list[redis.Redis], tmp_path: Path) -> None:
    file = tmp_path / "ran"
    redis_server[1].set(cache.make_key("key"), pickle.dumps(Evil(file)))

    found = cache.get("key"), cache.get_many(["key"])

    assert not touched(file)
    assert found == (None, {"key": None})


def forget_pages() -> None:
    """So that the next page asks the cache."""
    micro_cache.forget()
    shared_page.forget()


def test_every_key_that_pages_read_is_planted_and_nothing_runs_and_every_page_is_shown(
    make_board: Make, game: Caller, redis_server: list[redis.Redis], tmp_path: Path
) -> None:
    board = make_board("Planted", storage="sql", period="all_time")
    game.score(board, **{f"p{number}": number for number in range(12)})
    client, file = Client(), tmp_path / "ran"
    addresses = [f"/boards/{board}/?page=1", f"/boards/{board}/card.png"]
    check_all(clock.now(), 1)
    for address in addresses:
        assert client.get(address).status_code == 200
    picture = f"picture:{client.get(addresses[1])['ETag'].strip(chr(34))}"
    keys = [f"spread:{board}:current", picture, *(f"likes-check:{each.kind}" for each in all_kinds())]
    assert {cache.make_key(key).encode() for key in keys} <= set(redis_server[1].keys())

    for planted in (pickle.dumps(Evil(file)), *ODD):
        for key in keys:
            redis_server[1].set(cache.make_key(key), planted)
        forget_pages()
        for address in addresses:
            assert client.get(address).status_code == 200, (planted[:20], address)
        assert distribution_chart._cached_distribution(Board.objects.get(pk=board), "current") is not None
        check_all(clock.now(), 1)

    assert not touched(file)


def test_what_the_cache_keeps_comes_back_as_it_was() -> None:
    for value in (b"\x89PNG\r\n", b"", "words", "12", {"a": [1, "2", None, True]}, 5, 0):
        cache.set("key", value)
        assert cache.get("key") == value


def test_a_session_is_json_and_lies_in_sql(tmp_path: Path) -> None:
    file, store = tmp_path / "ran", SessionStore()

    with pytest.raises(TypeError):
        store.encode({"evil": Evil(file)})

    assert not touched(file)
    assert settings.SESSION_ENGINE == "accounts.session_store"
    assert settings.SESSION_SERIALIZER.endswith("JSONSerializer")
