"""Pages by cursor and pages of a thousand rows, as callers of the API meet them.

That walks are right on every form of board, and while rows move, is held by tests/contracts/test_walks.py.
"""

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.conf import LazySettings

from foundation import clock
from foundation.throttling import rate_limit
from foundation.throttling.limits import Limit
from leaderboards.models import Board, Period
from leaderboards.services.periods.close import close_period
from tests.leaderboards.api.conftest import Caller, Make, players, problem, take_redis_away, with_key, wrong_parameter
from tests.leaderboards.services.restricting import keep_out

pytestmark = pytest.mark.django_db

STORAGES = ("hybrid", "redis", "sql")


def walked(caller: Caller, address: str, way: str, rows: str = "rows") -> list[Any]:
    """The pages behind (or before) the one at this address, which is not among them."""
    pages = [caller.get(address).json()]
    path = address.partition("?")[0]
    for _ in range(50):
        cursor = pages[-1][way]
        if cursor is None:
            return [page[rows] for page in pages[1:]]
        pages.append(caller.get(f"{path}?limit=2&cursor={cursor}").json())
    raise AssertionError("the walk has no end")


@pytest.mark.parametrize("storage", STORAGES)
def test_cursors_lead_through_a_board_and_a_view_and_back(make_board: Make, game: Caller, storage: str) -> None:
    board = make_board(storage=storage, ties="shared")
    game.score(board, **{f"p{nth}": nth // 3 for nth in range(9)})
    whole = game.get(f"/boards/{board}/standings").json()["rows"]

    for path, rows in (("standings", "rows"), ("view", "list")):
        forward = walked(game, f"/boards/{board}/{path}?limit=2", "next_cursor", rows)
        back = walked(game, f"/boards/{board}/{path}?limit=2&offset=8", "previous_cursor", rows)

        assert [row for page in forward for row in page] == whole[2:]
        assert [row for page in back[::-1] for row in page] == whole[:8]

    first, all_of_it = (game.get(f"/boards/{board}/standings?limit={limit}").json() for limit in (2, 9))
    assert (first["previous_cursor"], all_of_it["previous_cursor"], all_of_it["next_cursor"]) == (None, None, None)
    past = game.get(f"/boards/{board}/standings?offset=9").json()
    assert (past["rows"], past["previous_cursor"], past["next_cursor"]) == ([], None, None)


@pytest.mark.parametrize("storage", STORAGES)
def test_a_list_is_read_on_from_the_window_around_a_player(make_board: Make, game: Caller, storage: str) -> None:
    board = make_board(storage=storage, ties="shared")
    game.score(board, **{f"p{nth}": nth // 3 for nth in range(9)})
    whole = game.get(f"/boards/{board}/standings").json()["rows"]
    names = [row["player"] for row in whole]

    for place, name in enumerate(names):
        near = game.get(f"/boards/{board}/players/{name}/around?radius=2").json()
        view = game.get(f"/boards/{board}/view?player={name}&radius=2&limit=1").json()
        assert near["rows"] == view["around"] == whole[max(0, place - 2) : place + 3]
        cursors = near["previous_cursor"], near["next_cursor"]
        assert cursors == (view["around_previous_cursor"], view["around_next_cursor"])
        read_on = [
            game.get(f"/boards/{board}/standings?limit=9&cursor={cursor}").json()["rows"] if cursor else []
            for cursor in cursors
        ]
        assert read_on[0] + near["rows"] + read_on[1] == whole
        assert [cursor is None for cursor in cursors] == [not rows for rows in read_on]


def test_a_walk_survives_redis_and_the_end_of_the_period(
    make_board: Make, game: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    board = make_board(period="day")
    game.score(board, **{f"p{nth}": nth for nth in range(6)})
    label, cursor = (
        (page := game.get(f"/boards/{board}/standings?limit=2").json())["period"]["label"],
        page["next_cursor"],
    )
    second = game.get(f"/boards/{board}/standings?limit=2&cursor={cursor}").json()

    with monkeypatch.context() as patched:
        take_redis_away(patched)
        without_redis = game.get(f"/boards/{board}/standings?limit=2&cursor={cursor}").json()
    assert (without_redis["live"], without_redis["rows"]) == (False, second["rows"])
    for named in (f"&period={label}", "&period=current", "&period=previous"):
        assert game.get(f"/boards/{board}/standings?limit=2&cursor={cursor}{named}").json()["rows"] == second["rows"]

    with time_machine.travel(clock.now() + timedelta(days=1, seconds=30)):
        later = game.get(f"/boards/{board}/standings?limit=2&cursor={cursor}").json()
        assert (later["period"]["label"], later["rows"]) == (label, second["rows"])
        close_period(Period.objects.get(board=board, label=label), clock.now() + timedelta(hours=1))
        final = game.get(f"/boards/{board}/standings?limit=2&cursor={second['next_cursor']}").json()
        assert (final["period"]["state"], players(final)) == ("final", [(5, "p1"), (6, "p0")])
        assert game.get(f"/boards/{board}/standings").json()["period"]["label"] != label


def test_a_cursor_is_refused_where_it_does_not_belong(make_board: Make, game: Caller) -> None:
    board, other = make_board(), make_board("Other")
    for each in (board, other):
        game.score(each, a=1, b=2, c=3)
    cursor = game.get(f"/boards/{board}/standings?limit=1").json()["next_cursor"]
    parts = json.loads(urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))

    assert wrong_parameter(game.get(f"/boards/{other}/standings?cursor={cursor}")) == "cursor"
    assert wrong_parameter(game.get(f"/boards/{board}/standings?cursor={cursor}&offset=1")) == "offset"
    assert wrong_parameter(game.get(f"/boards/{board}/standings?cursor={cursor}&period=2000-01")) == "period"
    assert "leave `period` out" in game.get(f"/boards/{board}/standings?cursor={cursor}&period=x").json()["detail"]
    for place, wrong in (
        *(
            (0, 2),
            (1, 5),
            (3, 4),
            (3, True),
            (4, "a/b"),
            (4, 7),
            (5, "now"),
            (5, 2**64),
            (6, 2**62),
            (6, 1.5),
            (6, None),
        ),
    ):
        forged = [*parts[:place], wrong, *parts[place + 1 :]]
        sent = urlsafe_b64encode(json.dumps(forged).encode()).decode().rstrip("=")
        assert wrong_parameter(game.get(f"/boards/{board}/standings?cursor={sent}")) == "cursor", (place, wrong)
    for text in ("", "x", "%20", cursor[:-5], "A" * 2001, urlsafe_b64encode(b"[" * 900).decode(), "bnVsbA"):
        for path in ("standings", "view"):
            assert wrong_parameter(game.get(f"/boards/{board}/{path}?cursor={text}")) == "cursor", text
    longer = urlsafe_b64encode(json.dumps([*parts, 1]).encode()).decode().rstrip("=")
    assert "other criteria" in game.get(f"/boards/{board}/standings?cursor={longer}").json()["detail"]
    unknown = [*parts[:2], "1999-07", *parts[3:]]
    sent = urlsafe_b64encode(json.dumps(unknown).encode()).decode().rstrip("=")
    problem(game.get(f"/boards/{board}/standings?cursor={sent}"), 404, "unknown_period")


class TestManyRows:
    @pytest.fixture(autouse=True)
    def limits(self, settings: LazySettings) -> Iterator[None]:
        settings.RATE_LIMITS = {**settings.RATE_LIMITS, "read": Limit(25, 300)}
        rate_limit.reset()
        yield
        rate_limit.reset()

    def test_a_key_reads_a_thousand_rows_and_nobody_else_does(
        self, make_board: Make, game: Caller, anybody: Caller
    ) -> None:
        board = make_board(storage="hybrid", ties="shared")
        game.score(board, **{f"p{nth}": nth // 2 for nth in range(1000)})
        game.score(board, last=0)

        page = game.get(f"/boards/{board}/standings?limit=1000").json()
        rest = game.get(f"/boards/{board}/standings?limit=1000&cursor={page['next_cursor']}").json()

        assert (len(page["rows"]), len(rest["rows"]), page["previous_cursor"], rest["next_cursor"]) == (
            1000,
            1,
            None,
            None,
        )
        assert wrong_parameter(game.get(f"/boards/{board}/standings?limit=1001")) == "limit"
        for path in (f"/boards/{board}/standings?", f"/boards/{board}/view?", "/boards?", "/competitions?", "/series?"):
            refused = anybody.get(f"{path}limit=101")
            assert wrong_parameter(refused) == "limit"
            assert "without a service key" in refused.json()["detail"]
            assert refused.json()["detail"].endswith(" are possible.")
            assert anybody.get(f"{path}limit=100").status_code == 200

    def test_a_thousand_rows_count_as_ten_requests_and_a_refused_one_counts_nothing(
        self, make_board: Make, game: Caller
    ) -> None:
        board = make_board(storage="sql")
        sent = [
            f"/boards/{board}/standings?{each}" for each in ("limit=1000", "limi%74=1000", "limit=500", "limit=1000")
        ]

        told = [game.get(each) for each in sent]
        refused = [game.get(sent[0]) for _ in range(3)]
        rest = game.get("/boards?limit=100")

        assert [each.status_code for each in told] == [200, 200, 200, 429]
        problem(told[3], 429, "rate_limited")
        assert 295 <= int(told[3]["Retry-After"]) <= 300
        assert {each.status_code for each in refused} == {429}
        assert rest.status_code == 429  # 10 + 10 + 5 are the whole limit

    def test_a_key_whose_limit_is_smaller_than_the_cost_is_not_locked_out(self, make_board: Make) -> None:
        board = make_board(storage="sql")
        slow = with_key("boards:read", limit=Limit(4, 300))

        told = [slow.get(f"/boards/{board}/standings?limit=1000").status_code for _ in range(2)]

        assert told == [200, 429]


def test_hidden_players_are_in_no_cursor(make_board: Make, game: Caller) -> None:
    board = make_board()
    game.score(board, a=1, b=2, c=3, d=4)
    keep_out("hidden", Board.objects.get(seq=board), "b", "c")

    first = game.get(f"/boards/{board}/standings?limit=1").json()
    second = game.get(f"/boards/{board}/standings?limit=1&cursor={first['next_cursor']}").json()

    assert [players(first), players(second), second["next_cursor"]] == [[(1, "d")], [(2, "a")], None]
