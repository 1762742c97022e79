"""What a process remembers between reads: a read asks SQL for nothing, and no change of another process is missed."""

import time
from collections.abc import Callable
from typing import Any
from unittest.mock import patch

import pytest
from django.db import connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext

from foundation import clock
from foundation.redis import client as redis
from foundation.redis.client import RedisClient
from leaderboards.core.ranking.board_settings import IMMUTABLE_SETTINGS, SCHEDULE_SETTINGS
from leaderboards.models import Board, Visibility
from leaderboards.selectors.catalog.cache_versions import MAX_READ_STALENESS_SECONDS, fetch_version
from leaderboards.services.boards import SETTINGS, delete, retire, save_board
from leaderboards.services.sync import invalidate
from leaderboards.stores.redis.noted_changes import MARGIN_SECONDS
from tests.at_once import at_once
from tests.leaderboards.api.conftest import Caller, problem, take_redis_away, with_key
from tests.locked import only_postgresql
from tests.playing import make_board, running
from tests.remembered import count_trips, elsewhere, take_sql_away

pytestmark = pytest.mark.django_db(transaction=True)

PATHS = ["standings", "standings?period=current&limit=100", "players/ann", "players/ann/around", "players?ids=ann",
         "view?player=ann&ids=bob"]  # fmt: skip  # as a table
IN_REDIS = pytest.mark.parametrize("storage", ["hybrid", "redis"])


@pytest.mark.parametrize("path", PATHS)
@IN_REDIS
def test_a_read_asks_sql_for_nothing_and_redis_once(
    anybody: Caller, known: Callable[..., int], storage: str, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    number = known(storage, path)
    trips = count_trips(monkeypatch)

    with CaptureQueriesContext(connection) as asked:
        again = anybody.get(f"/boards/{number}/{path}")

    body = again.json()
    row = (body.get("rows") or body.get("list") or [body])[0]
    assert (again.status_code, row["player"], list(asked), trips) == (200, "ann", [], [1])


@only_postgresql
@IN_REDIS
def test_after_a_moment_sql_is_asked_whether_the_rows_are_the_same_and_nothing_else(
    anybody: Caller, known: Callable[..., int], storage: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    number, now = known(storage), clock.monotonic()
    monkeypatch.setattr(clock, "monotonic", lambda: now + MAX_READ_STALENESS_SECONDS)

    with CaptureQueriesContext(connection) as asked:
        anybody.get(f"/boards/{number}/standings")
    about_rows = [query["sql"].split(" WHERE")[0] for query in asked if "xmin" in query["sql"]]
    anybody.get(f"/boards/{number}/standings")  # names are asked for anew, for who keeps the page
    with CaptureQueriesContext(connection) as then:
        anybody.get(f"/boards/{number}/standings")

    assert about_rows == ["SELECT xmin::text FROM leaderboards_board", "SELECT xmin::text FROM leaderboards_period"]
    assert list(then) == []


# What each setting may become while a period runs; the others never change.
CHANGED = {
    "name": "Another", "order": "asc", "update": "latest", "ties": "shared", "tie_break": "member",
    "criteria": [{"name": "kills", "bits": 10, "order": "desc"}], "decimals": 2, "minimum": 1, "maximum": 77,
    "total_maximum": 777, "operators": ["set"], "encoding": "compact", "score_ranges": True,
    "grace_seconds": 7, "retention_days": 7, "keep_submissions_days": 7, "keep_periods_days": 70, "partitions": 16,
    "own_tables": True, "unit": "metres",
    "format": "kcal", "hue": "teal", "visibility": Visibility.PRIVATE, "plausible_least": 1, "plausible_most": 9,
    "submissions_per_minute": 9, "points_per_minute": 9, "own_jump": 9, "own_jump_against": "median",
    "own_jump_last": 3, "field_jump": 9, "field_jump_players": 3,
}  # fmt: skip  # as a table


@pytest.mark.parametrize("setting", sorted({*SETTINGS} - {*IMMUTABLE_SETTINGS} - {*SCHEDULE_SETTINGS}))
def test_whatever_is_changed_of_a_board_elsewhere_the_next_read_asks_for_it(
    anybody: Caller, known: Callable[..., int], setting: str
) -> None:
    if setting == "own_tables" and connection.vendor != "postgresql":
        pytest.skip("only PostgreSQL has tables for each period")
    board = Board.objects.get(pk=known())
    setattr(board, setting, CHANGED[setting])
    if setting == "score_ranges":
        board.partitions = 4
    if setting == "encoding":
        board.ties = "shared"  # else it has no room for the time
    with elsewhere():
        save_board(board)

    with CaptureQueriesContext(connection) as asked:
        anybody.get(f"/boards/{board.seq}/standings")

    assert any("leaderboards_board" in query["sql"] for query in asked)


@IN_REDIS
def test_a_board_that_is_made_private_elsewhere_is_shown_to_nobody_and_public_again_to_everybody(
    anybody: Caller, known: Callable[..., int], storage: str
) -> None:
    board = Board.objects.get(pk=known(storage))
    path = f"/boards/{board.seq}/standings"

    for _ in range(3):
        board.visibility = Visibility.PRIVATE
        with elsewhere():
            save_board(board)
        for _ in range(3):
            problem(anybody.get(path), 401, "unauthenticated")
            problem(anybody.get(f"/boards/{board.seq}/players/nobody"), 401, "unauthenticated")
            assert with_key("boards:read").get(path).status_code == 200
        board.visibility = Visibility.PUBLIC
        with elsewhere():
            save_board(board)
        for _ in range(3):
            assert anybody.get(path).status_code == 200


@IN_REDIS
def test_a_board_that_was_made_private_elsewhere_stays_so_if_sql_goes_away_before_anybody_has_read_it(
    anybody: Caller, known: Callable[..., int], storage: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    other, board = known(storage, name="Another"), Board.objects.get(pk=known(storage))
    for path in ("standings", "players/ann"):
        assert anybody.get(f"/boards/{other}/{path}").status_code == 200  # making the second one forgot the first
    board.visibility = Visibility.PRIVATE
    with elsewhere():
        save_board(board)

    take_sql_away(monkeypatch)

    for path in ("standings", "players/ann", "view?player=ann"):
        problem(anybody.get(f"/boards/{board.seq}/{path}"), 503, "unavailable")
        assert anybody.get(f"/boards/{other}/{path}").status_code == 200  # nothing of it has changed
    assert Client(raise_request_exception=False).get(f"/boards/{board.seq}/").status_code == 503


def test_what_was_read_after_a_change_is_shown_while_sql_is_away(
    anybody: Caller, known: Callable[..., int], monkeypatch: pytest.MonkeyPatch
) -> None:
    board = Board.objects.get(pk=known())
    board.name = "Another name"
    with elsewhere():
        save_board(board)
    time.sleep(MARGIN_SECONDS + 0.1)  # Redis's own clock tells how long ago the change was
    assert anybody.get(f"/boards/{board.seq}/standings").status_code == 200

    take_sql_away(monkeypatch)

    assert anybody.get(f"/boards/{board.seq}/standings").status_code == 200


@only_postgresql
def test_who_reads_between_the_change_and_its_commit_keeps_nothing_of_what_was_before(
    anybody: Caller, known: Callable[..., int]
) -> None:
    board = Board.objects.get(pk=known())
    path, board.visibility = f"/boards/{board.seq}/standings", Visibility.PRIVATE

    with elsewhere(), transaction.atomic():
        save_board(board)
        before = [at_once([lambda: anybody.get(path)])[0].status_code for _ in range(3)]

    assert before == [200, 200, 200]
    problem(anybody.get(path), 401, "unauthenticated")


@IN_REDIS
def test_a_change_between_two_steps_of_a_read_is_seen_by_that_read(
    anybody: Caller, known: Callable[..., int], storage: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    board, exchange = Board.objects.get(pk=known(storage)), RedisClient._exchange
    board.visibility = Visibility.PRIVATE

    def meanwhile(link: RedisClient, sent: Any) -> Any:
        monkeypatch.setattr(RedisClient, "_exchange", exchange)
        with elsewhere():
            save_board(board)
        return exchange(link, sent)

    monkeypatch.setattr(RedisClient, "_exchange", meanwhile)

    problem(anybody.get(f"/boards/{board.seq}/standings"), 401, "unauthenticated")


def test_a_board_that_is_deleted_elsewhere_is_not_there(anybody: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    number, moment = make_board(storage="hybrid"), clock.monotonic()
    monkeypatch.setattr(clock, "monotonic", lambda: moment)
    for _ in range(4):
        assert anybody.get(f"/boards/{number}/standings").json()["total"] == 0
    with elsewhere():
        delete(Board.objects.get(pk=number), clock.now())

    problem(anybody.get(f"/boards/{number}/standings"), 404, "unknown_board")


def test_a_board_that_is_retired_elsewhere_is_asked_for_again(anybody: Caller, known: Callable[..., int]) -> None:
    number = known()
    with elsewhere():
        retire(Board.objects.get(pk=number), clock.now())

    with CaptureQueriesContext(connection) as asked:
        assert anybody.get(f"/boards/{number}/standings").status_code == 200
    assert list(asked)


def test_who_makes_a_board_private_while_redis_is_away_waits_until_nobody_remembers(
    anybody: Caller, known: Callable[..., int], monkeypatch: pytest.MonkeyPatch
) -> None:
    board, waited = Board.objects.get(pk=known()), list[float]()
    path, now = f"/boards/{board.seq}/standings", clock.monotonic()
    monkeypatch.setattr(time, "sleep", waited.append)
    board.visibility = Visibility.PRIVATE
    with elsewhere(), patch.object(invalidate, "drop_cache_versions", side_effect=redis.RedisAway("Redis is away.")):
        save_board(board)

    assert anybody.get(path).status_code == 200  # so it is right to wait
    monkeypatch.setattr(clock, "monotonic", lambda: now + sum(waited))
    problem(anybody.get(path), 401, "unauthenticated")


def test_while_redis_is_away_sql_answers_and_what_changes_is_seen_at_once(
    anybody: Caller, known: Callable[..., int], monkeypatch: pytest.MonkeyPatch
) -> None:
    number = known()
    take_redis_away(monkeypatch)
    assert anybody.get(f"/boards/{number}/standings").json()["live"] is False

    Board.objects.filter(pk=number).update(visibility=Visibility.PRIVATE)  # nobody in this process is told

    problem(anybody.get(f"/boards/{number}/standings"), 401, "unauthenticated")


def test_a_row_that_was_asked_for_before_its_edition_was_heard_is_asked_for_again(
    anybody: Caller, known: Callable[..., int]
) -> None:
    board = Board.objects.get(pk=known())
    later = clock.monotonic() + MAX_READ_STALENESS_SECONDS / 2
    board.visibility = Visibility.PRIVATE
    with elsewhere():
        save_board(board)
    with patch.object(clock, "monotonic", lambda: later):
        fetch_version(running(board.seq))  # as another thread, which has not asked SQL yet

        for _ in range(3):
            problem(anybody.get(f"/boards/{board.seq}/standings"), 401, "unauthenticated")
