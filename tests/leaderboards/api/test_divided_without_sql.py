"""A divided board while SQL is away: it is read and written from what this process has read, as an undivided one."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from foundation import clock
from leaderboards.core.periods import window_at
from leaderboards.models import Board, Partition, Period
from leaderboards.services.sync.mirror import mirror_all
from leaderboards.services.sync.resync_periods import resync_due
from tests.leaderboards.api.conftest import Caller, Make, problem
from tests.remembered import elsewhere, take_sql_away

pytestmark = pytest.mark.django_db(transaction=True)

POINTS = {f"p{n}": n for n in range(1, 31)}
Divided = Callable[..., int]


def running(seq: int) -> Period:
    board = Board.objects.get(seq=seq)
    return Period.objects.get(board=board, label=window_at(board.calendar, clock.now()).label)


def told(answer: dict[str, Any]) -> dict[str, str]:
    return {each["player"]: each.get("code") or each["status"] for each in answer["results"]}


@pytest.fixture
def divided(make_board: Make, game: Caller) -> Divided:
    """Makes a board of four partitions with thirty players, in SQL too."""

    def make(storage: str) -> int:
        seq = make_board("Divided", storage=storage, partitions=4)
        game.score(seq, **POINTS)
        mirror_all()
        return seq

    return make


@pytest.mark.parametrize("storage", ["hybrid", "redis"])
def test_it_is_read(divided: Divided, storage: str, anybody: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fault: the partitions' rows were asked of SQL each time, and all of this was 503."""
    seq = divided(storage)
    paths = [f"/boards/{seq}/{what}" for what in ("standings", "players/p7/around", "players/p7", "view?player=p7")]
    before = [anybody.get(path).json() for path in paths]
    page = Client().get(f"/boards/{seq}/")

    take_sql_away(monkeypatch)
    with CaptureQueriesContext(connection) as asked:
        answers = [anybody.get(path) for path in paths]
        shown = Client().get(f"/boards/{seq}/")

    assert list(asked) == []
    assert {each.status_code for each in answers} == {200}
    assert [without_times(each.json()) for each in answers] == [without_times(each) for each in before]
    assert (page.status_code, shown.status_code) == (200, 200)
    assert "p30" in shown.content.decode()


def without_times(answer: Any) -> dict[str, Any]:
    assert answer["live"] is True
    return {name: value for name, value in answer.items() if name != "as_of"}


def test_a_redis_board_is_written(
    divided: Divided, game: Caller, anybody: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    seq = divided("redis")
    anybody.get(f"/boards/{seq}/standings")

    take_sql_away(monkeypatch)
    with CaptureQueriesContext(connection) as asked:
        game.score(seq, **dict.fromkeys(POINTS, 500))
        found = anybody.get(f"/boards/{seq}/standings?limit=30").json()

    assert list(asked) == []
    assert {row["player"]: row["points"] for row in found["rows"]} == dict.fromkeys(POINTS, 500)


def test_entries_of_a_stale_partition_are_refused_and_the_others_count(
    divided: Divided, game: Caller, anybody: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    seq = divided("redis")
    period = running(seq)
    Partition.objects.filter(period=period, number=1).update(stale_since=clock.now())
    anybody.get(f"/boards/{seq}/standings")  # this process has read that

    take_sql_away(monkeypatch)
    words = told(game.score(seq, **dict.fromkeys(POINTS, 500)))

    stale = {name for name in POINTS if period.part_of(name) is period.parts[1]}
    assert words == dict.fromkeys(POINTS, "updated") | dict.fromkeys(stale, "unavailable")


def test_a_generation_that_this_process_has_not_heard_of_is_neither_read_nor_written(
    divided: Divided, game: Caller, anybody: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What protects the cached rows: the scripts compare the generation of each partition."""
    seq = divided("redis")
    anybody.get(f"/boards/{seq}/standings")
    period = running(seq)
    Partition.objects.filter(period=period, number=1).update(stale_since=clock.now())
    with elsewhere():
        assert resync_due(clock.now()) == 1

    take_sql_away(monkeypatch)
    words = told(game.score(seq, **dict.fromkeys(POINTS, 500)))

    outdated = {name for name in POINTS if period.part_of(name) is period.parts[1]}
    assert words == dict.fromkeys(POINTS, "updated") | dict.fromkeys(outdated, "unavailable")
    problem(anybody.get(f"/boards/{seq}/standings"), 503, "unavailable")
