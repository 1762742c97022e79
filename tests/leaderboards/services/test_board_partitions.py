"""What a board with partitions may be, and when their number may change."""

from datetime import datetime
from typing import Any

import pytest

from foundation import clock
from leaderboards.errors import BadBoard
from leaderboards.models import Board
from leaderboards.services.board_files import apply_boards
from leaderboards.services.boards import cancel_changes, pending_changes
from tests.leaderboards.services.site import NOON

FEW = {"ties": "dense", "minimum": 0, "maximum": 16_383, "total_maximum": 16_383}
CRITERIA = [{"name": "stage", "max": 100, "order": "desc"}, {"name": "left", "max": 100, "order": "asc"}]


def applied(at: datetime = NOON, **settings: Any) -> Board:
    apply_boards([{"name": "Large", "period": "day", **settings}], at)
    return Board.objects.get(name="Large")


@pytest.mark.parametrize("storage", ["hybrid", "redis"])
@pytest.mark.parametrize("partitions", [1, 4, 16, 64])
def test_a_board_is_divided_as_its_settings_say(storage: str, partitions: int) -> None:
    board = applied(storage=storage, partitions=partitions)

    for period in board.periods.all():
        assert (period.partitions, len(period.parts)) == (partitions, partitions)
        assert period.stale_since is None


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ({"partitions": 2}, "partitions"),
        ({"partitions": 0}, "partitions"),
        ({"partitions": "many"}, "partitions"),
        ({"partitions": 4, "storage": "sql"}, "storage `sql`"),
        ({"partitions": 4, "storage": "dynamodb"}, "storage `dynamodb`"),
        ({"partitions": 4, "period": "event"}, "competitions"),
        ({"partitions": 4, "storage": "redis", "field_jump": "2"}, "`field_jump`"),
        ({"partitions": 4, "ties": "dense"}, "16,384"),
        ({"partitions": 4, **FEW, "total_maximum": 16_384, "maximum": 16_384}, "16,385"),
        ({"partitions": 4, **FEW, "decimals": 1}, "163,831"),
        ({"partitions": 4, **FEW, "minimum": -1}, "16,385"),
        ({"partitions": 4, "ties": "dense", "criteria": [*CRITERIA, {**CRITERIA[0], "name": "more"}]}, "16,384"),
    ],
)
def test_what_cannot_be_divided_is_refused_when_it_is_saved(settings: dict[str, Any], why: str) -> None:
    with pytest.raises(BadBoard) as refused:
        applied(**settings)

    assert refused.value.field == "partitions"
    assert why in refused.value.detail
    assert not Board.objects.exists()


@pytest.mark.parametrize("settings", [FEW, {"ties": "dense", "criteria": CRITERIA}])
def test_dense_ranks_of_few_values_may_be_divided(settings: dict[str, Any]) -> None:
    assert applied(partitions=16, **settings).partitions == 16


@pytest.mark.parametrize("settings", [{"storage": "redis"}, {"storage": "hybrid", "period": "all_time"}])
def test_a_redis_board_and_an_all_time_board_keep_their_number(settings: dict[str, Any]) -> None:
    applied(partitions=4, **settings)

    with pytest.raises(BadBoard, match="cannot change once a period exists"):
        applied(partitions=16, **settings)


def test_a_changed_number_waits_for_the_next_period_and_can_be_cancelled() -> None:
    at = clock.now()
    board = applied(at, partitions=4)
    changed = applied(at, partitions=16)

    assert pending_changes(changed, at) == {"partitions": 16}
    assert sorted(board.periods.values_list("partitions", flat=True)) == [4, 16]
    cancel_changes(changed, at)

    assert pending_changes(changed, at) == {}
    assert [*board.periods.values_list("partitions", flat=True)] == [4, 4]
    for period in board.periods.all():
        assert len(period.parts) == 4
