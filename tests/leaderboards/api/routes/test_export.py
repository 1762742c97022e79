"""GET /boards/{seq}/standings.csv"""

import csv
import io
from datetime import datetime, timedelta
from typing import Any

import pytest

from foundation import clock
from leaderboards.models import Period
from leaderboards.services.periods.close import close_period
from leaderboards.services.periods.retention import expire_due
from leaderboards.services.players.profiles import set_profile
from tests.leaderboards.api.conftest import Caller, Make, take_redis_away

STORAGES = pytest.mark.parametrize("storage", ["hybrid", "redis", "sql"])


def table(response: Any) -> list[list[str]]:
    assert response.status_code == 200
    return list(csv.reader(io.StringIO(b"".join(response).decode(), newline="")))


@STORAGES
def test_the_csv_holds_what_the_standings_hold(make_board: Make, game: Caller, anybody: Caller, storage: str) -> None:
    criteria = [{"name": "stage", "max": 100, "order": "desc"}, {"name": "members", "max": 50, "order": "asc"}]
    board = make_board(storage=storage, ties="shared", decimals=2)
    raid = make_board("Raid", storage=storage, criteria=criteria)
    before = clock.now()
    game.score(board, **{f"p{n}": str(n // 2 + 0.25) for n in range(40)})
    empty = table(anybody.get(f"/boards/{raid}/standings.csv"))
    game.submit({"board": raid, "player": "a", "fields": {"stage": 7, "members": 3}})

    response = anybody.get(f"/boards/{board}/standings.csv")
    of_raid = table(anybody.get(f"/boards/{raid}/standings.csv"))

    header, *lines = table(response)
    rows = anybody.get(f"/boards/{board}/standings?limit=100").json()["rows"]
    assert header == ["rank", "player", "name", "points", "achieved_at", "tied"]
    assert len(lines) == 40
    assert [(int(line[0]), line[1], float(line[3]), int(line[5])) for line in lines] == [
        (row["rank"], row["player"], row["points"], row["tied"]) for row in rows
    ]
    assert empty == [["rank", "player", "name", "stage", "members", "achieved_at", "tied"]]
    assert [of_raid[0], of_raid[1][:5]] == [*empty, ["1", "a", "a", "7", "3"]]
    assert response["Live"] == "true"
    assert datetime.fromisoformat(response["As-Of"]) >= before.replace(microsecond=0)


def test_more_rows_than_fit_a_part_are_all_there_with_names_of_every_script(make_board: Make, game: Caller) -> None:
    board = make_board(storage="sql", period="all_time")
    game.score(board, **{'a"b': 1000}, **{f"p{n}": n for n in range(999)})
    set_profile('a"b', {"name": '민준, "the 1st"'}, clock.now())

    response = game.get(f"/boards/{board}/standings.csv")

    _, *lines = table(response)
    assert [int(line[0]) for line in lines] == list(range(1, 1001))
    assert lines[0][1:3] == ['a"b', '민준, "the 1st"']
    assert response["Content-Type"] == "text/csv; charset=utf-8"
    assert response["Content-Disposition"] == f'attachment; filename="board-{board}-all.csv"'


@STORAGES
def test_what_is_final_is_downloaded_for_good(make_board: Make, game: Caller, anybody: Caller, storage: str) -> None:
    board = make_board(storage=storage)
    game.score(board, **{f"p{n}": n for n in range(5)})
    period = Period.objects.filter(board=board).earliest("starts_at")
    path = f"/boards/{board}/standings.csv?period={period.label}"
    while_open = anybody.get(path)
    closed = close_period(period, clock.now())
    once = anybody.get(path)
    known = anybody.get(path, If_None_Match=once["ETag"])

    expired = expire_due(clock.now() + timedelta(days=1000))
    set_profile("p0", {"name": "Another name"}, clock.now())
    again = anybody.get(path)

    assert not {"ETag", "Content-Hash"} & set(while_open.headers)
    assert while_open["Cache-Control"] == "no-store"
    assert (closed.final, expired) == (True, 1)
    assert (known.status_code, known.content) == (304, b"")
    assert len(once["Content-Hash"]) == 64
    assert again["Content-Hash"] == once["Content-Hash"]
    first, second = ([(line[0], line[1], line[3]) for line in table(answer)] for answer in (once, again))
    assert len(first) == 6
    assert second == first


def test_without_redis_the_csv_of_a_redis_board_says_that_it_may_lag(
    make_board: Make, anybody: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    board = make_board(storage="redis")
    take_redis_away(monkeypatch)

    response = anybody.get(f"/boards/{board}/standings.csv")

    assert (response.status_code, response["Live"]) == (200, "false")
