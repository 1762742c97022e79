"""Boards as the API shows them: one, all, and the one of a name."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from pytest_django import DjangoAssertNumQueries

from foundation import clock
from foundation.redis import client as redis
from foundation.redis.client import Argument, RedisClient
from leaderboards.models import Board, Period
from leaderboards.selectors.rankings import store_routing
from leaderboards.services.board_files import apply_boards
from leaderboards.services.boards import SETTINGS, retire
from leaderboards.services.sync.mirror import mirror_all
from leaderboards.stores.sql import reads
from tests.leaderboards.api.conftest import Caller, Make, problem, slow_count, take_redis_away, wrong_parameter
from tests.playing import score


def test_a_board_is_shown_with_all_settings_its_players_and_its_running_period(
    make_board: Make, anybody: Caller
) -> None:
    with time_machine.travel(datetime(2026, 11, 20, 9, tzinfo=UTC), tick=False):
        board = make_board(
            "Wins", timezone="Asia/Seoul", decimals=2, minimum="-1.50", maximum=100, total_maximum=100, storage="sql"
        )
        score(board, {"a": 1, "b": 1})

        answer = anybody.get(f"/boards/{board}").json()

    assert set(answer) == {"seq", *SETTINGS, "total", "opens_at", "retired_at", "settings"}
    expected = {
        "seq": board, "name": "Wins", "total": 2, "retired_at": None, "timezone": "Asia/Seoul", "storage": "sql",
        "minimum": -1.5, "maximum": 100, "decimals": 2, "criteria": [], "ties": "first_come",
    }  # fmt: skip  # as a table
    assert {name: answer[name] for name in expected} == expected
    ends = {"starts_at": "2026-11-15T15:00:00Z", "ends_at": "2026-11-22T15:00:00Z"}
    assert answer["period"] == {"label": "2026-47", **ends, "state": "open", "seconds_left": 194_400}
    assert set(answer["settings"]) == set(SETTINGS)
    assert answer["settings"]["period"] == "week"


def test_all_time_has_no_end_a_retired_board_one_and_an_event_board_no_running_period(
    make_board: Make, anybody: Caller
) -> None:
    seqs = [make_board("All", period="all_time"), make_board("Cups", period="event"), make_board("Old")]
    retire(Board.objects.get(name="Old"), clock.now())

    all_time, event, retired = (anybody.get(f"/boards/{seq}").json() for seq in seqs)

    endless = {"label": "all", "starts_at": None, "ends_at": None, "state": "open", "seconds_left": None}
    assert (all_time["period"], event["period"]) == (endless, None)
    assert retired["retired_at"] == retired["period"]["ends_at"]


ARENA = {"period": "schedule", "schedule": "0 12 * * *", "open_minutes": 120, "timezone": "Asia/Seoul"}


def test_a_board_of_a_schedule_is_shown_with_its_last_window_and_its_next_opening(
    make_board: Make, anybody: Caller
) -> None:
    with time_machine.travel(datetime(2026, 11, 24, 4, tzinfo=UTC), tick=False):  # 13:00 in Seoul
        board = make_board("Arena", storage="sql", **ARENA)
        score(board, {"a": 1})
        running = anybody.get(f"/boards/{board}").json()
    with time_machine.travel(datetime(2026, 11, 24, 6, tzinfo=UTC), tick=False):
        between, standings = anybody.get(f"/boards/{board}").json(), anybody.get(f"/boards/{board}/standings").json()
        by_label = anybody.get(f"/boards/{board}/standings?period=2026-11-24-1200").json()
        problem(anybody.get(f"/boards/{board}/standings?period=2026-11-25-1200"), 404, "unknown_period")

    window = {"label": "2026-11-24-1200", "starts_at": "2026-11-24T03:00:00Z", "ends_at": "2026-11-24T05:00:00Z"}
    assert (running["period"], running["opens_at"]) == (window | {"state": "open", "seconds_left": 3600}, None)
    assert between["period"] == window | {"state": "open", "seconds_left": 0}
    assert (between["opens_at"], between["total"]) == ("2026-11-25T03:00:00Z", 1)
    assert {name: between["settings"][name] for name in ARENA} == ARENA
    assert standings["period"]["label"] == by_label["period"]["label"] == window["label"]
    assert standings["rows"] == by_label["rows"]


def test_a_changed_schedule_stands_in_the_settings_alone_until_it_takes_effect(
    make_board: Make, anybody: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clock, "_compare_with_sql", lambda: (clock.now(), timedelta()))  # SQL's clock goes with ours
    at = datetime(2026, 11, 24, 4, tzinfo=UTC)
    with time_machine.travel(at, tick=False):
        board = make_board("Arena", storage="sql", **ARENA)
        apply_boards([{"name": "Arena", "open_minutes": 60}], at)
        running = anybody.get(f"/boards/{board}").json()
    with time_machine.travel(at + timedelta(days=1), tick=False):
        later = anybody.get(f"/boards/{board}").json()

    assert (running["open_minutes"], running["settings"]["open_minutes"]) == (120, 60)
    assert (later["open_minutes"], later["settings"]["open_minutes"]) == (60, 60)


def test_changed_rules_stand_in_the_settings_alone_until_the_period_that_goes_by_them_begins(
    make_board: Make, anybody: Caller
) -> None:
    at = clock.now()
    was = {"order": "desc", "ties": "first_come", "decimals": 0, "minimum": 0, "maximum": 500, "total_maximum": 500}
    new = {"order": "asc", "ties": "shared", "decimals": 2, "minimum": -0.25, "maximum": 90, "total_maximum": 90.5}
    board = make_board("Turned", **was)
    apply_boards([{"name": "Turned", "grace_seconds": 7} | {name: str(value) for name, value in new.items()}], at)

    with time_machine.travel(at, tick=False):
        one, [listed] = anybody.get(f"/boards/{board}").json(), anybody.get("/boards").json()["rows"]
    with time_machine.travel(at + timedelta(days=7), tick=False):
        later = anybody.get(f"/boards/{board}").json()

    assert one == listed
    assert {name: one[name] for name in was} == was
    assert {name: one["settings"][name] for name in new} == new
    assert (one["grace_seconds"], one["settings"]["grace_seconds"]) == (7, 7)
    assert later["period"]["starts_at"] == one["period"]["ends_at"]
    assert {name: later[name] for name in new} == {name: later["settings"][name] for name in new} == new


def test_criteria_that_wait_stand_in_the_settings_alone(make_board: Make, anybody: Caller) -> None:
    board = make_board("Raid")
    raid = [{"name": "stage", "max": 99, "order": "desc"}]
    apply_boards([{"name": "Raid", "criteria": raid}], clock.now())

    one = anybody.get(f"/boards/{board}").json()

    assert (one["criteria"], one["settings"]["criteria"]) == ([], raid)


def note_trips(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Each round trip to the boards' Redis from now on: how many commands it is."""
    trips: list[int] = []
    exchange = RedisClient._exchange

    def noted(link: RedisClient, commands: Sequence[Sequence[Argument]]) -> list[object]:
        trips.extend([len(commands)] if commands and link is redis.boards() else [])
        return exchange(link, commands)

    monkeypatch.setattr(RedisClient, "_exchange", noted)
    return trips


@pytest.fixture
def crowd(make_board: Make, game: Caller) -> dict[int, int]:
    """Boards of every storage by number, with how many players each has; one of events, and one that nobody opened."""
    seqs = [make_board(f"{storage} {nth}", storage=storage) for storage in ("hybrid", "redis", "sql") for nth in (1, 2)]
    for nth, seq in enumerate(seqs):
        game.score(seq, **{f"p{player}": player for player in range(nth + 1)})
    bare = make_board("Bare")
    Period.objects.filter(board=bare).delete()
    return {seq: nth + 1 for nth, seq in enumerate(seqs)} | {bare: 0, make_board("Cups", period="event"): 0}


def test_boards_come_in_pages_each_with_one_round_trip_to_redis_and_four_statements(
    crowd: dict[int, int],
    anybody: Caller,
    monkeypatch: pytest.MonkeyPatch,
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    trips = note_trips(monkeypatch)

    with time_machine.travel(clock.now(), tick=False):
        with django_assert_num_queries(4):  # one of them: who is not shown in all of their periods
            whole = anybody.get("/boards").json()
        at_first = list(trips)
        pages = [anybody.get(f"/boards?offset={offset}&limit=3").json() for offset in (0, 3, 6, 9)]
        alone = [anybody.get(f"/boards/{seq}").json() for seq in crowd]

    assert {row["seq"]: row["total"] for row in whole["rows"]} == crowd
    assert whole["rows"] == alone
    assert [row for page in pages for row in page["rows"]] == whole["rows"]
    assert {page["total"] for page in (whole, *pages)} == {len(crowd)}
    assert at_first == [4]
    for wrong in ("limit=0", "limit=101", "limit=x", "offset=-1"):
        assert wrong_parameter(anybody.get(f"/boards?{wrong}")) == wrong.partition("=")[0]


def test_a_board_that_redis_does_not_have_is_counted_in_sql_and_all_are_while_it_is_away(
    crowd: dict[int, int], anybody: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    mirror_all()
    stale, lost = (Period.objects.get(board=seq, starts_at__lte=clock.now()) for seq in list(crowd)[:2])
    Period.objects.filter(pk=stale.pk).update(stale_since=clock.now())
    redis.boards().call("SET", lost.family.gen, lost.generation + 1)

    partly = anybody.get("/boards").json()
    take_redis_away(monkeypatch)
    away = anybody.get("/boards").json()
    monkeypatch.setattr(store_routing, "PATIENCE_MS", 20)
    monkeypatch.setattr(reads, "Count", slow_count)
    too_slow = anybody.get("/boards")

    assert [row["total"] for row in partly["rows"]] == [row["total"] for row in away["rows"]] == list(crowd.values())
    problem(too_slow, 503, "unavailable")


def test_boards_are_listed_by_number_and_found_by_name(make_board: Make, anybody: Caller) -> None:
    first, second = make_board("First"), make_board("Second & last")

    every = anybody.get("/boards").json()
    found = anybody.get("/boards?name=Second%20%26%20last").json()

    one = anybody.get(f"/boards/{second}").json()
    assert (every["total"], [row["seq"] for row in every["rows"]]) == (2, [first, second])
    assert [set(row) for row in every["rows"]] == [set(one), set(one)]
    assert (found["total"], [row["seq"] for row in found["rows"]]) == (1, [second])
    for name in ("second", "Nobody's", "%00", "x" * 1000, ""):
        assert anybody.get(f"/boards?name={name}").json() == {"total": 0, "rows": []}
