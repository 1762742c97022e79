"""Pages whose rows are encoded once for all who ask: never older than what was acknowledged before the question."""

import random
from datetime import datetime
from itertools import pairwise
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from foundation import clock
from foundation.caching.micro_cache import TTL_SECONDS, MicroCache
from foundation.db.resilience import StaleIfErrorCache
from leaderboards.models import Board, Player
from leaderboards.selectors.catalog.boards import clear_board_cache
from leaderboards.selectors.player_data.names import NAME_SECONDS
from leaderboards.selectors.rankings import encoded_pages
from leaderboards.selectors.rankings.encoded_pages import clear_encoded_cache
from leaderboards.selectors.rankings.row_json import row_json
from leaderboards.selectors.rankings.standings import read_page, standings
from leaderboards.services.moderation.remove import remove_player
from leaderboards.services.players.profiles import set_profile
from leaderboards.stores.base import Around, ForPlayers, Page
from tests.leaderboards.api.conftest import Caller
from tests.leaderboards.services.restricting import keep_out, let_back_from
from tests.playing import make_board, score

pytestmark = pytest.mark.django_db(transaction=True)

IN_REDIS = pytest.mark.parametrize("storage", ["hybrid", "redis"])


@pytest.fixture
def encodings(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many rows were encoded, each time."""
    made, encode = list[int](), encoded_pages._encoded

    def counted(rows: list[Any]) -> Any:
        made.append(len(rows))
        return encode(rows)

    monkeypatch.setattr(encoded_pages, "_encoded", counted)
    return made


def known_board(anybody: Caller, **settings: Any) -> int:
    """Three stand on it, and this process reads it without asking SQL."""
    number = make_board(**settings)
    score(number, {"ann": 30, "bob": 20, "cyd": 10})
    for _ in range(3):
        anybody.get(f"/boards/{number}/standings")
    return number


def read(anybody: Caller, number: int, query: str = "") -> dict[str, Any]:
    answer: dict[str, Any] = anybody.get(f"/boards/{number}/standings{query}").json()
    return answer


@IN_REDIS
@pytest.mark.usefixtures("now")
def test_rows_are_encoded_once_while_they_are_the_same_and_only_the_time_of_the_answer_is_another(
    anybody: Caller, storage: str, encodings: list[int]
) -> None:
    number = known_board(anybody, storage=storage)
    first, before = read(anybody, number), len(encodings)

    again = [read(anybody, number) for _ in range(5)]

    assert len(encodings) == before
    assert all(each | {"as_of": ""} == first | {"as_of": ""} for each in again)
    # As moments, not as texts: a text has as many digits as its fraction needs.
    moments = [datetime.fromisoformat(each["as_of"]) for each in [first, *again]]
    assert all(one < next_ for one, next_ in pairwise(moments))


@IN_REDIS
@pytest.mark.usefixtures("now")
def test_who_writes_elsewhere_on_the_board_leaves_the_rows_kept_and_the_total_right(
    anybody: Caller, storage: str, encodings: list[int]
) -> None:
    number = known_board(anybody, storage=storage)
    read(anybody, number, "?limit=2")
    before = len(encodings)

    score(number, {"dan": 1, "eve": 2, "cyd": 11})
    answer = read(anybody, number, "?limit=2")

    assert ([row["player"] for row in answer["rows"]], answer["total"], len(encodings)) == (["ann", "bob"], 5, before)


@IN_REDIS
@pytest.mark.usefixtures("now")
def test_the_list_of_a_view_is_that_of_the_page_and_encoded_once_whoever_looks_at_it(
    anybody: Caller, storage: str, encodings: list[int]
) -> None:
    number = known_board(anybody, storage=storage)
    rows, before = read(anybody, number)["rows"], len(encodings)

    seen = [anybody.get(f"/boards/{number}/view?player={each}&radius=1").json() for each in ("ann", "cyd", "nobody")]

    assert [each["list"] for each in seen] == [rows] * 3
    assert [[row["player"] for row in each["around"]] for each in seen] == [["ann", "bob"], ["bob", "cyd"], []]
    assert len(encodings) == before


@pytest.mark.parametrize("ties", ["first_come", "last_come", "shared", "dense"])
@IN_REDIS
def test_whatever_happens_the_next_read_is_as_if_nothing_were_kept(anybody: Caller, storage: str, ties: str) -> None:
    number, dice = known_board(anybody, storage=storage, ties=ties, update="latest"), random.Random(11)
    board, out = Board.objects.get(pk=number), set[str]()
    players = ["ann", "bob", "cyd", "dan", "eve"]

    for _ in range(40):
        player = dice.choice(players)
        act = dice.choice(["score", "score", "remove", "name", "hide", "nothing"])
        if act == "score":
            score(number, {player: dice.randint(1, 5)})
        elif act == "remove":
            remove_player(board, player, clock.now())
        elif act == "name":
            set_profile(player, {"name": f"{player} {dice.randint(1, 9)}"}, clock.now())
        elif act == "hide" and player in out:
            let_back_from("hidden", board, player, at=clock.now())
            out.discard(player)
        elif act == "hide" and Player.objects.filter(external_id=player).exists():
            keep_out("hidden", board, player)
            out.add(player)

        for _ in range(2):
            expected, answer = standings(board, "current", 0, 10), read(anybody, number)
            assert (answer["rows"], answer["total"]) == ([row_json(row) for row in expected.rows], expected.total)
            fresh = read_page(board, "current", Page(0, 10), Around("bob", 1), ForPlayers(("ann", "dan")))
            seen = anybody.get(f"/boards/{number}/view?player=bob&radius=1&ids=ann,dan").json()
            parts = fresh.standings.rows, fresh.neighbours, fresh.named
            assert (seen["list"], seen["around"], seen["named"]) == tuple([*map(row_json, part)] for part in parts)
            assert (seen["total"], seen["me"] and seen["me"]["rank"]) == (expected.total, fresh.me and fresh.me.rank)


@IN_REDIS
def test_a_name_that_another_process_changed_is_shown_after_two_seconds(
    anybody: Caller, storage: str, now: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    number = known_board(anybody, storage=storage)
    monkeypatch.setattr(StaleIfErrorCache, "forget", lambda _: None)
    Player.objects.update_or_create(external_id="ann", defaults={"name": "Annie"})
    began, step, limits = now[0], TTL_SECONDS / 4, range(1, 1 + round(4 * NAME_SECONDS / TTL_SECONDS))

    for limit in limits:  # each page is made at another moment
        now[0] = began + step * (limit - 1)
        read(anybody, number, f"?limit={limit}")
    now[0] = began + NAME_SECONDS

    assert {read(anybody, number, f"?limit={limit}")["rows"][0]["name"] for limit in limits} == {"Annie"}


@IN_REDIS
@pytest.mark.usefixtures("now")
def test_the_tag_is_the_same_whether_rows_are_kept_made_or_asked_of_sql_and_tells_them_apart(
    anybody: Caller, storage: str, encodings: list[int]
) -> None:
    number = known_board(anybody, storage=storage)
    path = f"/boards/{number}/standings"
    tags = [anybody.get(path)["ETag"] for _ in range(2)]
    clear_encoded_cache()
    tags.append(anybody.get(path)["ETag"])
    clear_board_cache()
    tags.append(anybody.get(path)["ETag"])

    before = len(encodings)
    known = [anybody.get(path, If_None_Match=tags[0]) for _ in range(2)]

    assert (len({*tags}), [each.status_code for each in known]) == (1, [304, 304])
    assert len(encodings) <= before + 1
    score(number, {"dan": 1})
    assert anybody.get(path, If_None_Match=tags[0]).status_code == 200


@IN_REDIS
@pytest.mark.usefixtures("now")
def test_a_304_makes_no_rows_and_asks_sql_for_nothing(anybody: Caller, storage: str, encodings: list[int]) -> None:
    number = known_board(anybody, storage=storage)
    tag, before = anybody.get(f"/boards/{number}/standings")["ETag"], len(encodings)

    with CaptureQueriesContext(connection) as asked:
        known = anybody.get(f"/boards/{number}/standings", If_None_Match=tag)

    assert (known.status_code, len(encodings), list(asked)) == (304, before, [])


@pytest.mark.usefixtures("now")
def test_what_is_kept_is_bounded_by_its_bytes(anybody: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    number, most = known_board(anybody, storage="hybrid"), 2000
    small = MicroCache[Any, Any](most, weigh=encoded_pages._weight)
    monkeypatch.setattr(encoded_pages, "_cache", small)

    for limit in range(1, 60):
        read(anybody, number, f"?limit={limit}")
        assert sum(each.weight for each in small._entries.values()) <= most
    assert len(small) > 1
