"""GET /boards/{seq}/view: what the single addresses answer, all of it of one moment, for the price of one of them."""

import threading
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from foundation import clock
from foundation.redis.connection import RedisConnection
from leaderboards.models import Board, Period
from leaderboards.services.periods.close import close_period
from leaderboards.services.players.profiles import set_profile
from leaderboards.services.sync.mirror import mirror_all
from tests.leaderboards.api.conftest import Caller, Make, players, problem, take_redis_away, wrong_parameter
from tests.leaderboards.services.restricting import keep_out
from tests.links import links
from tests.raw import ONE_SERVER

__all__ = ["links"]

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]

STORAGES = ("hybrid", "redis", "sql")
HEAD = ("board", "period", "total", "live")
QUERY = "offset=1&limit=3&player={player}&radius=2&ids=p2,nobody,p8&ids=p5"
STATES = ("open", "redis away", "final")


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("ties", ["first_come", "dense"])
@pytest.mark.parametrize("storage", STORAGES)
def test_it_is_what_the_single_addresses_answer(
    make_board: Make, game: Caller, monkeypatch: pytest.MonkeyPatch, storage: str, ties: str, state: str
) -> None:
    seq = make_board(storage=storage, ties=ties)
    game.score(seq, **{f"p{nth}": nth // 2 * 10 for nth in range(1, 12)})
    mirror_all()
    keep_out("hidden", Board.objects.get(seq=seq), "p11")
    keep_out("shadowed", Board.objects.get(seq=seq), "p6")
    period = Period.objects.filter(board=seq).earliest("starts_at")
    if state == "final":
        close_period(period, clock.now())
    elif state == "redis away":
        take_redis_away(monkeypatch)
    board, label = f"/boards/{seq}", f"period={period.label}"

    for player in ("p5", "p10", "p1"):
        view = game.get(f"{board}/view?{label}&{QUERY.format(player=player)}").json()
        page = game.get(f"{board}/standings?{label}&offset=1&limit=3").json()
        own = game.get(f"{board}/players/{player}?{label}").json()
        around = game.get(f"{board}/players/{player}/around?{label}&radius=2").json()
        named = game.get(f"{board}/players?{label}&ids=p2,nobody,p8&ids=p5").json()

        assert {name: view[name] for name in HEAD} == {name: page[name] for name in HEAD}
        assert [view[part] for part in ("list", "around", "named")] == [each["rows"] for each in (page, around, named)]
        assert view["me"] == {name: told for name, told in own.items() if name not in (*HEAD, "as_of")}
        assert len(view["list"]) == len(view["named"]) == 3

    for kept_out in ("p6", "p11", "nobody"):
        view = game.get(f"{board}/view?{label}&player={kept_out}&ids=p6,p11").json()
        assert (view["me"], view["around"], view["named"]) == (None, [], [])
        assert len(view["list"]) == view["total"] - (view["total"] > 10)


def test_a_part_that_is_not_asked_for_is_null(field: int, anybody: Caller) -> None:
    bare = anybody.get(f"/boards/{field}/view").json()
    own = anybody.get(f"/boards/{field}/view?player=p9").json()

    cursors = {"previous_cursor", "next_cursor", "around_previous_cursor", "around_next_cursor"}
    assert set(bare) == {*HEAD, "as_of", "list", "me", "around", "named"} | cursors
    assert (bare["around_previous_cursor"], bare["around_next_cursor"]) == (None, None)
    assert (bare["me"], bare["around"], bare["named"], len(bare["list"])) == (None, None, None, 9)
    assert (own["me"]["rank"], [row["rank"] for row in own["around"]], own["named"]) == (1, [1, 2, 3, 4, 5], None)


def test_before_anybody_has_played_nobody_is_there_and_an_unknown_period_is_not_found(
    make_board: Make, anybody: Caller
) -> None:
    seq = make_board()

    view = anybody.get(f"/boards/{seq}/view?period=previous&player=a&ids=a").json()

    assert [view[part] for part in ("total", "list", "me", "around", "named")] == [0, [], None, [], []]
    problem(anybody.get(f"/boards/{seq}/view?period=1999-07"), 404, "unknown_period")
    problem(anybody.get("/boards/999999/view"), 404, "unknown_board")


def test_each_parameter_has_the_bounds_of_its_own_address(field: int, anybody: Caller) -> None:
    wrong = {
        "limit": ("0", "101", "ten"),
        "offset": ("-1", "9007199254740993"),
        "radius": ("0", "51", "4", "4&ids=p1"),
        "ids": ("", "a,,b", ",".join(map(str, range(101)))),
        "nothing": ("1",),
        "player": ("p1&player=p2", "", "%20a", "a%2Cb", "x" * 65),
        "cursor": ("", "x", "bm9uZQ"),
    }
    for parameter, values in wrong.items():
        for value in values:
            response = anybody.get(f"/boards/{field}/view?{parameter}={value}")
            assert wrong_parameter(response) == parameter, value
    widest = anybody.get(f"/boards/{field}/view?limit=100&radius=50&player=p1&offset=9007199254740992")
    assert (len(widest.json()["around"]), widest.json()["list"]) == (9, [])


def test_its_etag_changes_with_each_of_its_parts_and_not_with_the_moment(field: int, anybody: Caller) -> None:
    address = f"/boards/{field}/view?limit=1&player=p2&radius=1&ids=p7"
    tags = [anybody.get(address)["ETag"]]
    assert anybody.get(address, If_None_Match=tags[0]).status_code == 304

    for player in ("p9", "p1", "p7"):  # in the list alone, around alone, by name alone
        set_profile(player, {"name": f"Player {player}"}, clock.now())
        changed = anybody.get(address, If_None_Match=tags[-1])
        assert changed.status_code == 200, player
        tags.append(changed["ETag"])
    assert len({*tags}) == 4


@ONE_SERVER
@pytest.mark.parametrize("storage", STORAGES)
def test_it_costs_what_one_read_costs(
    make_board: Make, game: Caller, monkeypatch: pytest.MonkeyPatch, storage: str
) -> None:
    seq, moment = make_board(storage=storage), clock.monotonic()
    game.score(seq, **{f"p{nth}": nth for nth in range(1, 10)})
    monkeypatch.setattr(clock, "monotonic", lambda: moment)  # names, and who is hidden, are remembered for a second
    parts = ["standings", "players/p5", "players/p5/around", "players?ids=p1,p9"]
    for path in (*parts, "view?player=p5&ids=p1,p9"):
        game.get(f"/boards/{seq}/{path}")

    view, *single = [_cost(game, monkeypatch, f"/boards/{seq}/{path}") for path in ("view?player=p5&ids=p1,p9", *parts)]

    if storage == "sql":  # one look at the board and the period, one moment, one count of all
        assert view[0] < sum(queries for queries, _ in single)
        assert view[1] == 0
    else:
        assert view == single[0]
        assert view[1] == 1


def _cost(game: Caller, monkeypatch: pytest.MonkeyPatch, address: str) -> tuple[int, int]:
    """Statements of SQL and round trips to Redis."""
    trips, exchange = [], RedisConnection.exchange

    def counted(*args: Any, **named: Any) -> Any:
        trips.append(args)
        return exchange(*args, **named)

    with monkeypatch.context() as patched, CaptureQueriesContext(connection) as queries:
        patched.setattr(RedisConnection, "exchange", counted)
        assert game.get(address).status_code == 200
    return len(queries), len(trips)


@pytest.mark.parametrize("storage", STORAGES)
def test_all_of_it_is_of_one_moment_while_others_write(make_board: Make, game: Caller, storage: str) -> None:
    """p1 and p2 overtake each other all the time: whoever is in two parts stands in both at the same place."""
    seq = make_board(storage=storage, update="increment", period="all_time")
    game.score(seq, **{f"p{nth}": nth for nth in range(1, 8)})
    over, moved = threading.Event(), list[int]()

    def write() -> None:
        try:
            while not over.is_set():
                game.score(seq, **{f"p{len(moved) % 2 + 1}": 100})
                moved.append(1)
        finally:
            connection.close()

    writer, torn, seen = threading.Thread(target=write), list[Any](), set[int]()
    writer.start()
    try:
        while len(seen) < 20:
            view = Caller().get(f"/boards/{seq}/view?player=p1&radius=3&ids=p1,p2,p3").json()
            rows = [row for part in ("list", "around", "named") for row in view[part]]
            places = {(row["player"], row["rank"], row["points"]) for row in (*rows, view["me"])}
            seen.add(view["me"]["points"])
            if len(places) != len({player for player, _, _ in places}) or players({"rows": view["list"]})[6:] == []:
                torn.append(view)
    finally:
        over.set()
        writer.join()

    assert torn == []
