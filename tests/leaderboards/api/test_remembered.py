"""What a process remembers between reads: cheap while nothing changes, and no change of another process is missed."""

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from foundation import clock
from leaderboards.models import Board, Period, Visibility
from tests.leaderboards.api.conftest import Caller
from tests.locked import only_postgresql
from tests.playing import make_board, score

pytestmark = pytest.mark.django_db(transaction=True)


def live_board() -> int:
    number = make_board(storage="hybrid")
    score(number, {"ann": 3, "bob": 2})
    return number


@only_postgresql
@pytest.mark.parametrize(
    "path", ["standings", "players/ann", "players/ann/around", "players?ids=ann", "view?player=ann&ids=bob"]
)
def test_a_read_asks_sql_whether_board_and_period_are_the_same_and_nothing_else(
    anybody: Caller, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    number, moment = live_board(), clock.monotonic()
    monkeypatch.setattr(clock, "monotonic", lambda: moment)  # names, and who is hidden, are remembered for a second
    first = anybody.get(f"/boards/{number}/{path}").json()

    with CaptureQueriesContext(connection) as asked:
        again = anybody.get(f"/boards/{number}/{path}").json()

    assert again | {"as_of": ""} == first | {"as_of": ""}
    assert [query["sql"].split(" WHERE")[0] for query in asked] == [
        "SELECT xmin::text FROM leaderboards_board",
        "SELECT xmin::text FROM leaderboards_period",
    ]


@pytest.mark.parametrize(
    ("change", "seen"),
    [
        ({"visibility": Visibility.PRIVATE}, {"status": 401, "code": "unauthenticated"}),
        ({"stale_since": timezone.now()}, {"live": False}),
        ({"state": "closing"}, {"period": {"state": "closing"}}),
    ],
    ids=["visibility", "stale", "state"],
)
def test_what_another_process_changes_is_seen_by_the_next_read(
    anybody: Caller, change: dict[str, Any], seen: dict[str, Any]
) -> None:
    number = live_board()
    assert anybody.get(f"/boards/{number}/standings").json()["live"] is True

    rows = Board.objects.filter(seq=number) if "visibility" in change else Period.objects.filter(board=number)
    rows.update(**change)  # nobody in this process is told

    answer = anybody.get(f"/boards/{number}/standings").json()
    period = answer.get("period", {}) | seen.pop("period", {})
    assert answer == answer | seen
    assert answer.get("period", {}) == period
