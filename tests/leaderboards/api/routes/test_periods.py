"""The list of a board's periods: its order, players and winners, its pages and cursors, and who may read it."""

from datetime import datetime, timedelta
from typing import Any

import pytest
import time_machine
from django.db import connection
from django.test.utils import CaptureQueriesContext

from foundation import clock
from leaderboards.models import Board, FinalStanding, Period
from leaderboards.selectors.history.period_list import period_page
from leaderboards.selectors.visibility.hidden import clear_hidden_cache
from leaderboards.services.periods.close import close_due
from leaderboards.stores.base import Page
from tests.leaderboards.api.conftest import Caller, Make, problem, take_redis_away, with_key, wrong_parameter
from tests.leaderboards.factories import PeriodFactory
from tests.leaderboards.services import site
from tests.leaderboards.services.restricting import keep_out
from tests.playing import score

NOON = datetime.fromisoformat("2026-11-20T12:00:00+00:00")
DAY = timedelta(days=1)
STORAGES = ("hybrid", "redis", "sql")


def labels(answer: dict[str, Any]) -> list[str]:
    return [row["label"] for row in answer["rows"]]


def won(answer: dict[str, Any]) -> dict[str, list[str]]:
    return {row["label"]: [each["player"] for each in row["winners"] or []] for row in answer["rows"]}


@pytest.fixture
def days(make_board: Make) -> int:
    """A board of days with four that are over and final, and the running one."""
    with time_machine.travel(NOON, tick=False):
        board = make_board(period="day", storage="sql", ties="shared")
        for ago in range(4, 0, -1):
            score(board, {"ann": 5, "ben": ago, "cho": ago}, NOON - ago * DAY)
        score(board, {"ann": 1})
        close_due(NOON + timedelta(hours=2))
        return board


@pytest.mark.parametrize("storage", STORAGES)
def test_periods_come_newest_first_with_players_and_the_winners_of_those_that_are_final(
    make_board: Make, anybody: Caller, storage: str
) -> None:
    with time_machine.travel(NOON, tick=False):
        board = make_board(period="day", storage=storage)
        score(board, {"ann": 5, "ben": 9})
    with time_machine.travel(NOON + DAY, tick=False):
        close_due(clock.now())
        score(board, {"cho": 1})
        answer = anybody.get(f"/boards/{board}/periods").json()

    assert answer == {
        "board": board,
        "total": 2,
        "as_of": "2026-11-21T12:00:00Z",
        "rows": [
            {
                "label": "2026-11-21",
                "starts_at": "2026-11-21T00:00:00Z",
                "ends_at": "2026-11-22T00:00:00Z",
                "state": "open",
                "players": 1,
                "winners": None,
            },
            {
                "label": "2026-11-20",
                "starts_at": "2026-11-20T00:00:00Z",
                "ends_at": "2026-11-21T00:00:00Z",
                "state": "final",
                "players": 2,
                "winners": [{"player": "ben", "name": "ben", "points": 9}],
            },
        ],
        "previous_cursor": None,
        "next_cursor": None,
    }


def test_boards_with_criteria_tell_fields_and_equals_share_the_first_rank(make_board: Make, game: Caller) -> None:
    raid = [{"name": "stage", "max": 100, "order": "desc"}]
    with time_machine.travel(NOON, tick=False):
        board = make_board(period="day", storage="sql", ties="shared", criteria=raid)
        score(board, {f"p{nth}": {"stage": 7} for nth in range(7)})
    with time_machine.travel(NOON + DAY, tick=False):
        close_due(clock.now())
        [_, over] = game.get(f"/boards/{board}/periods").json()["rows"]

    assert len(over["winners"]) == 5
    assert over["winners"][0]["fields"] == {"stage": 7}
    assert "points" not in over["winners"][0]


@time_machine.travel(NOON, tick=False)
def test_cursors_lead_through_the_list_and_back_and_a_new_period_moves_nothing(days: int, anybody: Caller) -> None:
    path = f"/boards/{days}/periods?limit=2"
    whole = anybody.get(f"/boards/{days}/periods").json()

    first = anybody.get(path).json()
    with time_machine.travel(NOON + DAY, tick=False):
        second = anybody.get(f"{path}&cursor={first['next_cursor']}").json()
        third = anybody.get(f"{path}&cursor={second['next_cursor']}").json()
        back = anybody.get(f"{path}&cursor={third['previous_cursor']}").json()
        newest = anybody.get(f"{path}&cursor={back['previous_cursor']}").json()
        tomorrow = anybody.get(f"{path}&cursor={newest['previous_cursor']}").json()
    by_offset = anybody.get(f"{path}&offset=2").json()

    parts = [labels(whole)[nth : nth + 2] for nth in (0, 2, 4)]
    assert [labels(each) for each in (first, second, third)] == parts
    assert (first["previous_cursor"], third["next_cursor"], whole["total"]) == (None, None, 5)
    assert back["rows"] == second["rows"] == by_offset["rows"]
    assert labels(newest) == labels(first)
    assert (labels(tomorrow), tomorrow["previous_cursor"]) == (["2026-11-21"], None)
    assert anybody.get(f"{path}&offset=9").json()["rows"] == []


@time_machine.travel(NOON, tick=False)
def test_an_empty_page_leads_back(days: int, anybody: Caller) -> None:
    page = anybody.get(f"/boards/{days}/periods?limit=4").json()
    gone = Period.objects.filter(board=days).order_by("starts_at").first()
    assert gone is not None
    FinalStanding.objects.filter(period=gone).delete()
    gone.standings.all().delete()
    gone.submissions.all().delete()
    gone.delete()

    empty = anybody.get(f"/boards/{days}/periods?limit=4&cursor={page['next_cursor']}").json()
    back = anybody.get(f"/boards/{days}/periods?limit=4&cursor={empty['previous_cursor']}").json()

    assert (empty["rows"], empty["next_cursor"]) == ([], None)
    assert labels(back) == labels(page)


@time_machine.travel(NOON, tick=False)
def test_a_period_that_has_not_begun_is_not_listed(days: int, anybody: Caller) -> None:
    PeriodFactory.create(board=Board.objects.get(seq=days), at=NOON + DAY)

    answer = anybody.get(f"/boards/{days}/periods").json()

    assert (answer["total"], labels(answer)[0]) == (5, "2026-11-20")


@time_machine.travel(NOON, tick=False)
def test_bad_cursors_and_limits_are_refused_as_elsewhere(days: int, anybody: Caller, game: Caller) -> None:
    of_rows = game.get(f"/boards/{days}/standings?limit=1&period=2026-11-19").json()["next_cursor"]
    own = anybody.get(f"/boards/{days}/periods?limit=1").json()["next_cursor"]

    for sent in (f"cursor={of_rows}", "cursor=x", "cursor="):
        assert wrong_parameter(anybody.get(f"/boards/{days}/periods?{sent}")) == "cursor"
    assert wrong_parameter(anybody.get(f"/boards/{days}/standings?cursor={own}")) == "cursor"
    assert wrong_parameter(anybody.get(f"/boards/{days}/periods?cursor={own}&offset=1")) == "offset"
    assert wrong_parameter(anybody.get(f"/boards/{days}/periods?limit=101")) == "limit"
    assert wrong_parameter(game.get(f"/boards/{days}/periods?limit=1001")) == "limit"
    assert game.get(f"/boards/{days}/periods?limit=1000").json()["total"] == 5
    assert anybody.get(f"/boards/{days}/periods?period=current").status_code == 422


def test_private_boards_and_boards_of_competitions_are_closed(make_board: Make, anybody: Caller) -> None:
    private = make_board("Private", visibility="private")
    event = make_board("Cups", period="event")
    reader, other = with_key("boards:read"), with_key("boards:read", name="other", boards=[event])

    problem(anybody.get(f"/boards/{private}/periods"), 401, "unauthenticated")
    problem(other.get(f"/boards/{private}/periods"), 403, "forbidden")
    problem(anybody.get(f"/boards/{event}/periods"), 404, "unknown_period")
    problem(anybody.get("/boards/999/periods"), 404, "unknown_board")
    shown = reader.get(f"/boards/{private}/periods")
    assert (shown.status_code, shown["Cache-Control"]) == (200, anybody_cache(reader, private))
    assert "Access-Control-Allow-Origin" not in shown


def anybody_cache(reader: Caller, board: int) -> str:
    """What the other reads of a private board say about caching."""
    return str(reader.get(f"/boards/{board}/standings")["Cache-Control"])


@pytest.mark.parametrize("kind", ["hidden", "shadowed", "banned"])
@time_machine.travel(NOON, tick=False)
def test_who_is_not_shown_neither_wins_nor_counts(days: int, anybody: Caller, kind: str) -> None:
    keep_out(kind, Board.objects.get(seq=days), "ann")
    clear_hidden_cache()

    answer = anybody.get(f"/boards/{days}/periods").json()

    assert [row["players"] for row in answer["rows"]] == [0, 2, 2, 2, 2]
    shown = anybody.get(f"/boards/{days}/standings?period=2026-11-19").json()
    assert won(answer)["2026-11-19"] == [row["player"] for row in shown["rows"] if row["rank"] == 1] == ["cho", "ben"]


@time_machine.travel(NOON, tick=False)
def test_where_all_of_the_first_places_are_hidden_the_first_who_is_shown_has_won(
    make_board: Make, anybody: Caller
) -> None:
    board = make_board(period="day", storage="sql")
    score(board, {f"p{nth}": 100 - nth for nth in range(9)}, NOON - DAY)
    close_due(NOON + timedelta(hours=2))
    keep_out("hidden", Board.objects.get(seq=board), *(f"p{nth}" for nth in range(7)))
    clear_hidden_cache()

    answer = anybody.get(f"/boards/{board}/periods").json()

    assert won(answer)["2026-11-19"] == ["p7"]
    assert answer["rows"][1]["players"] == 2


@time_machine.travel(NOON, tick=False)
def test_the_number_of_statements_does_not_depend_on_the_number_of_periods(days: int, anybody: Caller) -> None:
    keep_out("hidden", Board.objects.get(seq=days), "ann")
    counts = []
    for limit in (2, 5):
        anybody.get(f"/boards/{days}/periods?limit={limit}")  # what is cached of the board is cached
        clear_hidden_cache()
        with CaptureQueriesContext(connection) as asked:
            anybody.get(f"/boards/{days}/periods?limit={limit}")
        counts.append(len(asked))

    assert counts[0] == counts[1]


@pytest.mark.skipif(connection.vendor != "postgresql", reason="it is a plan of PostgreSQL")
@time_machine.travel(NOON, tick=False)
def test_a_page_is_read_by_an_index(days: int) -> None:
    """As PostgreSQL would read a table too large to be read whole."""
    newest = Period.objects.filter(board=days).order_by("-starts_at", "-label")[:10]
    sql, parameters = newest.query.sql_with_params()
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
        cursor.execute("SET LOCAL enable_sort = off")
        cursor.execute(f"EXPLAIN {sql}", parameters)
        plan = "\n".join(line for (line,) in cursor.fetchall())

    assert "period_newest" in plan
    assert "Sort" not in plan


@time_machine.travel(NOON, tick=False)
def test_the_etag_is_of_the_rows_and_redis_may_be_away(
    make_board: Make, game: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    board = make_board(period="day", storage="hybrid")
    score(board, {"ann": 5})
    path = f"/boards/{board}/periods"
    first = game.get(path)
    score(board, {"ben": 6})
    second = game.get(path, If_None_Match=first["ETag"])

    assert game.get(path, If_None_Match=second["ETag"]).status_code == 304
    take_redis_away(monkeypatch)
    assert second.json()["rows"] == game.get(path).json()["rows"]
    assert second.json()["rows"][0]["players"] == 2


@pytest.mark.django_db(transaction=True)
def test_up_to_five_visible_ones_of_a_shared_first_rank_won_whoever_is_hidden_between() -> None:
    board, later = site.make_board("sql", ties="shared"), site.NOON + site.DAY
    site.crowd(board, {f"p{nth:02}": 9 for nth in range(12)})
    close_due(later)
    before = [each.player for each in period_page(board, Page(0, 9), later).rows[-1].winners or []]
    keep_out("hidden", board, *before[1:5])
    clear_hidden_cache()

    after = [each.player for each in period_page(board, Page(0, 9), later).rows[-1].winners or []]

    assert (len(before), len(set(after)), {*after} & {*before}) == (5, 5, {before[0]})
