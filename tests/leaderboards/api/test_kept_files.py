"""A final CSV is made once for all who ask, and is another as soon as what it shows is."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.core.cache import cache
from django.db import connection
from django.test.utils import CaptureQueriesContext

from foundation import clock
from leaderboards.models import FinalStanding, Period, Player
from leaderboards.selectors.exports import cached_files
from leaderboards.selectors.exports.standings_csv import csv_parts
from leaderboards.selectors.visibility.hidden import clear_hidden_cache
from leaderboards.services.periods.close import close_period
from leaderboards.services.players.erase import erase_player
from leaderboards.services.players.profiles import set_profile
from tests.leaderboards.api.conftest import Caller, Make

pytestmark = pytest.mark.django_db


@pytest.fixture
def path(make_board: Make, game: Caller) -> str:
    """The CSV of a final period with alice before bob."""
    board = make_board(storage="sql")
    game.score(board, alice=7, bob=5)
    period = Period.objects.filter(board=board).earliest("starts_at")
    close_period(period, clock.now())
    return f"/boards/{board}/standings.csv?period={period.label}"


def text(caller: Caller, path: str) -> str:
    response = caller.get(path)
    assert response.status_code == 200
    return b"".join(response).decode()


def asked_for(caller: Caller, path: str, **headers: str) -> tuple[int, int]:
    """The status, and how often final standings were asked for, but for those who are hidden."""
    with CaptureQueriesContext(connection) as asked:
        response = caller.get(path, **headers)
        if response.streaming:
            b"".join(response)
    reads = [each["sql"] for each in asked.captured_queries if FinalStanding._meta.db_table in each["sql"]]
    return response.status_code, len([each for each in reads if "ORDER BY" in each])


def test_it_is_read_once_for_everybody_and_a_304_reads_nothing(path: str, anybody: Caller, game: Caller) -> None:
    first = asked_for(anybody, path)
    tag = anybody.get(path)["ETag"]

    assert first == (200, 1)
    assert asked_for(game, path) == (200, 0)
    assert asked_for(anybody, path, If_None_Match=tag) == (304, 0)
    assert asked_for(anybody, f"{path}&raw=true") == (200, 1)
    assert text(game, path).splitlines()[1].startswith("1,alice,alice,7,")


def test_a_ban_a_new_name_and_an_erasure_make_another_at_once(path: str, anybody: Caller) -> None:
    assert "alice" in text(anybody, path)
    set_profile("bob", {"name": "Robert"}, clock.now())
    renamed = text(anybody, path)
    Player.objects.filter(external_id="alice").update(banned_at=clock.now())
    clear_hidden_cache()
    banned = text(anybody, path)
    erase_player("bob", clock.now())
    erased = text(anybody, path)

    assert "bob,Robert" in renamed
    assert ("alice" in banned, banned.splitlines()[1].startswith("1,bob,")) == (False, True)
    assert "bob" not in erased
    assert "Robert" not in erased


def test_a_name_that_stays_makes_no_other(path: str, anybody: Caller) -> None:
    set_profile("bob", {"name": "Robert"}, clock.now())
    text(anybody, path)
    set_profile("bob", {"name": "Robert", "country": "KR"}, clock.now())

    assert asked_for(anybody, path) == (200, 0)


def test_of_one_that_is_too_long_the_tag_is_kept(path: str, anybody: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = text(anybody, path)
    cache.clear()
    monkeypatch.setattr(cached_files, "MAX_CACHED_BYTES", 1)

    first = anybody.get(path)

    assert b"".join(first).decode() == whole
    assert asked_for(anybody, path, If_None_Match=first["ETag"]) == (304, 0)
    assert text(anybody, path) == whole


def test_without_the_page_cache_it_is_made_each_time(
    path: str, anybody: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = text(anybody, path)
    monkeypatch.setattr(cache, "get", lambda *_: None)
    monkeypatch.setattr(cache, "get_many", lambda *_: {})

    assert asked_for(anybody, path)[1] > 0
    assert text(anybody, path) == whole


@pytest.mark.parametrize("planted", [5, "x", [], {}, {"as_of": 1, "tag": "x", "check": None}, b"bytes"])
def test_what_lies_there_and_is_none_of_ours_is_made_anew(path: str, anybody: Caller, planted: object) -> None:
    whole = text(anybody, path)
    for key in cache.keys("files:*"):  # type: ignore[attr-defined]  # django-redis adds it
        cache.set(key, planted)

    assert text(anybody, path) == whole


def test_what_is_banned_while_a_file_is_made_is_not_in_what_is_kept(
    path: str, anybody: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    def parts(*rows: Any) -> Iterator[bytes]:
        yield from csv_parts(*rows)
        Player.objects.filter(external_id="alice").update(banned_at=clock.now())
        clear_hidden_cache()

    with monkeypatch.context() as patched:
        patched.setattr("leaderboards.api.routes.export.csv_parts", parts)
        text(anybody, path)
    Player.objects.update(banned_at=None)
    clear_hidden_cache()

    assert asked_for(anybody, path) == (200, 1)
