"""What is written to DynamoDB: by conditions, once or not at all, and nothing is left of a period that is deleted."""

from datetime import timedelta
from typing import Any

import pytest

from foundation import clock
from leaderboards.core import dynamodb_keys as keys
from leaderboards.core.ranking.policies import StandingState
from leaderboards.models import Period
from leaderboards.stores.dynamodb import client, writes
from leaderboards.stores.dynamodb.reads import DynamoStore
from leaderboards.stores.dynamodb.writes import CountedId, DynamoWriter, IdUsed, Overtaken, StoredStanding, new_standing


def standing(period: Period, player: str, points: int) -> StoredStanding:
    return new_standing(period, player, StandingState((points,), 1_000_000))


def counted(period: Period, external_id: str) -> CountedId:
    key = keys.entry_id(period.board_id, period.board.created_at, "game", external_id)
    return CountedId(key, period.label, keys.proof("content"))


def items(dynamodb: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = dynamodb.scan(TableName="tests")["Items"]
    return found


def total(period: Period) -> int:
    return DynamoStore().totals([period])[period.pk]


def test_standing_ids_and_the_number_of_players_change_together(period: Period, dynamodb: Any) -> None:
    writer, first = DynamoWriter(), standing(period, "a", 5)
    writer.write(period, None, first, [counted(period, "x"), counted(period, "y")])
    second = standing(period, "a", 9)
    writer.write(period, first, second, [counted(period, "z")])
    writer.write(period, second, None, [counted(period, "w")])

    assert DynamoWriter().look_up(period, ["a"]) == {"a": second}
    wanted = [counted(period, name) for name in ("w", "x", "y", "z", "none")]
    assert [*writer.look_up_ids([each.key for each in wanted]).values()] == wanted[:4]
    assert total(period) == 1
    assert len(items(dynamodb)) == 6  # a standing, four ids, and a counter


def test_who_was_overtaken_writes_nothing(period: Period, dynamodb: Any) -> None:
    writer, first, second = DynamoWriter(), standing(period, "a", 5), standing(period, "a", 9)
    writer.write(period, None, first, [])
    writer.write(period, first, second, [])
    before = items(dynamodb)

    late = standing(period, "a", 7)
    for old, new in ((None, late), (first, late), (first, None)):
        with pytest.raises(Overtaken):
            writer.write(period, old, new, [counted(period, "x")])
    with pytest.raises(Overtaken):
        writer.write(period, first, late, [])
    with pytest.raises(Overtaken):
        writer.remove(period, first)

    assert items(dynamodb) == before


def test_a_player_who_left_and_came_back_is_another_standing(period: Period) -> None:
    writer, first = DynamoWriter(), standing(period, "a", 5)
    writer.write(period, None, first, [])
    writer.remove(period, first)
    again = standing(period, "a", 5)
    writer.write(period, None, again, [])

    with pytest.raises(Overtaken):
        writer.write(period, first, standing(period, "a", 9), [])

    assert (DynamoWriter().look_up(period, ["a"]), total(period)) == ({"a": again}, 1)


def test_an_id_that_was_used_stops_all_of_its_write(period: Period, dynamodb: Any) -> None:
    writer, first = DynamoWriter(), standing(period, "a", 5)
    writer.write(period, None, first, [counted(period, "x")])
    before = items(dynamodb)

    for old, new in ((first, standing(period, "a", 9)), (None, standing(period, "b", 9)), (first, None)):
        with pytest.raises(IdUsed):
            writer.write(period, old, new, [counted(period, "new"), counted(period, "x")])

    assert items(dynamodb) == before


def test_as_many_ids_as_are_allowed_fit_a_transaction(period: Period) -> None:
    ids = [counted(period, f"x{nth}") for nth in range(writes.MOST_IDS)]

    DynamoWriter().write(period, None, standing(period, "a", 5), ids)

    assert len(DynamoWriter().look_up_ids([each.key for each in ids])) == writes.MOST_IDS


def test_ids_expire_by_themselves_after_days_and_standings_do_not(period: Period, dynamodb: Any) -> None:
    DynamoWriter().write(period, None, standing(period, "a", 5), [counted(period, "x")])

    [expiry] = [int(item["expires"]["N"]) for item in items(dynamodb) if "expires" in item]

    assert expiry == pytest.approx((clock.now() + timedelta(days=writes.ID_DAYS)).timestamp(), abs=60)


def test_a_period_is_walked_and_deleted_to_its_end_and_others_stay(
    period: Period, dynamodb: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client, "PAGE", 3)
    next_one = Period.objects.get(board=period.board, starts_at=period.ends_at)
    writer, written = DynamoWriter(), {f"p{nth}": standing(period, f"p{nth}", nth) for nth in range(40)}
    for each in written.values():
        writer.write(period, None, each, [])
    writer.write(next_one, None, standing(next_one, "a", 5), [counted(next_one, "x")])

    assert {each.player: each for each in writer.walk(period)} == written
    writer.delete_period(period)
    writer.delete_period(period)

    assert [*writer.walk(period)] == []
    assert (total(period), total(next_one)) == (0, 1)
    assert len(items(dynamodb)) == 3  # the other period's standing, its counter, and an id


def test_a_period_stays_in_the_shards_that_it_opened_with(period: Period, settings: Any) -> None:
    DynamoWriter().write(period, None, standing(period, "a", 5), [])

    settings.DYNAMODB_WRITE_SHARDS = 16
    period.refresh_from_db()

    assert period.write_shards == 4
    assert set(DynamoWriter().look_up(period, ["a"])) == {"a"}
