"""A period in DynamoDB until it is gone: it closes with all it has, expires, and forgets the erased."""

import json
from typing import Any
from unittest.mock import patch

import pytest

from foundation.errors import NotAvailable
from leaderboards import selectors
from leaderboards.errors import NotRanked, PeriodClosed, StillRanked, StorageUnavailable
from leaderboards.models import Board, Period, PeriodState, Player, RankHistoryEntry, Standing
from leaderboards.selectors.player_data.personal_data import data_shown_to_player
from leaderboards.selectors.rankings.store_routing import live_store, read_from_store, totals
from leaderboards.services.boards import save_board
from leaderboards.services.moderation.remove import remove_from_period
from leaderboards.services.periods import copy_dynamodb
from leaderboards.services.periods.close import DYNAMODB_AWAY, close_due
from leaderboards.services.periods.open import open_due
from leaderboards.services.periods.rank_history import record_rank_history
from leaderboards.services.periods.retention import expire_due
from leaderboards.services.players.erase import erase_player
from leaderboards.stores.base import ForPlayers, Page
from leaderboards.stores.dynamodb.reads import DynamoStore
from leaderboards.stores.dynamodb.writes import DynamoWriter, new_standing
from tests.leaderboards.services.dynamodb.conftest import away
from tests.leaderboards.services.restricting import EVERY_WAY, keep_out, let_back_from
from tests.leaderboards.services.site import DAY, NOON, crowd, final, finalists, make_board, period_of, score

TOMORROW = NOON + DAY
OLD = "Kim Cheolsu"


def stored(period: Period) -> list[str]:
    return sorted(each.player for each in DynamoWriter().walk(period))


def shown(period: Period) -> tuple[int, list[str]]:
    """The total and the players as everybody sees them, hidden ones left out."""
    result, _ = read_from_store(period, lambda store, current: store.read(current, [Page(0, 10)]))
    return result.total, [period.layout.player_of(row.member) for row in result.answers[0]]


def everything(dynamodb: Any) -> str:
    return json.dumps(dynamodb.scan(TableName="tests")["Items"], ensure_ascii=False)


def test_a_period_closes_with_the_standings_of_dynamodb_and_again_with_the_same() -> None:
    period = crowd(make_board("dynamodb", ties="shared"), {"a": 5, "b": 7, "c": 5, "gone": 9})
    remove_from_period(period, "gone", NOON)
    store = DynamoStore().read(period, [Page(0, 10)]).answers[0]

    [first] = close_due(TOMORROW)
    places, digest = final(period), Period.objects.get(pk=period.pk).content_hash
    Period.objects.filter(pk=period.pk).update(state=PeriodState.CLOSING)
    period.final_standings.all().delete()
    [second] = close_due(TOMORROW)

    assert (first.final, first.players, second.final) == (True, 3, True)
    assert [(rank, member, points) for _, rank, member, points in places] == [
        (row.rank, row.member, row.score) for row in store
    ]
    assert (final(period), Period.objects.get(pk=period.pk).content_hash) == (places, digest)
    assert dict(Standing.objects.values_list("player__external_id", "points")) == {"a": 5, "b": 7, "c": 5}


def test_closing_waits_while_dynamodb_is_away_and_others_do_not() -> None:
    crowd(make_board("sql"), 3)
    period = crowd(make_board("dynamodb"), 3)
    with away():
        closed = {each.label: each for each in close_due(TOMORROW) if not each.final}

    assert [each.detail for each in closed.values()] == [DYNAMODB_AWAY]
    assert Period.objects.get(pk=period.pk).state == PeriodState.CLOSING
    assert {each.code for each in score(period.board, {"late": 5})} == {"period_closed"}
    [late] = close_due(TOMORROW)
    assert (late.final, late.players) == (True, 3)


def test_a_copy_that_died_half_way_is_made_again(monkeypatch: pytest.MonkeyPatch) -> None:
    period = crowd(make_board("dynamodb"), 7)
    monkeypatch.setattr(copy_dynamodb, "CHUNK", 3)
    with (
        patch.object(copy_dynamodb, "failpoint", side_effect=[None, KeyboardInterrupt]),
        pytest.raises(KeyboardInterrupt),
    ):
        close_due(TOMORROW)
    assert Standing.objects.filter(period=period, score__isnull=False).count() == 6
    assert Period.objects.get(pk=period.pk).state == PeriodState.CLOSING

    [closed] = close_due(TOMORROW)

    assert (closed.final, closed.players) == (True, 7)
    assert [member.partition("_")[2] for _, _, member, _ in final(period)] == [
        f"p{nth}" for nth in (6, 5, 4, 3, 2, 1, 0)
    ]


def test_what_expires_is_deleted_from_dynamodb_and_not_before(dynamodb: Any) -> None:
    board = make_board("dynamodb", retention_days=3)
    period = crowd(board, 30)
    close_due(TOMORROW)
    assert (expire_due(TOMORROW + 2 * DAY), len(stored(period))) == (0, 30)
    with away():
        assert expire_due(TOMORROW + 4 * DAY) == 0
    assert len(stored(period)) == 30

    assert (expire_due(TOMORROW + 4 * DAY), stored(period), everything(dynamodb)) == (1, [], "[]")
    assert Period.objects.get(pk=period.pk).state == PeriodState.EXPIRED
    assert totals([Period.objects.get(pk=period.pk)]) == {period.pk: 30}


def test_an_erased_player_leaves_nothing_in_dynamodb(dynamodb: Any) -> None:
    board = make_board("dynamodb")
    ended = crowd(board, {"first": 9, OLD: 7, "third": 5})
    close_due(TOMORROW)
    places = final(ended)
    score(board, {"first": 1, OLD: 2}, TOMORROW, id_="x")
    assert OLD in everything(dynamodb)
    with pytest.raises(StillRanked):
        erase_player(OLD, TOMORROW, keep_scores=True)

    erased = erase_player(OLD, TOMORROW)

    running = period_of(board, TOMORROW)
    assert (erased.removed_from, stored(running), stored(ended)) == ([str(running)], ["first"], ["first", "third"])
    assert OLD not in everything(dynamodb)
    assert DynamoStore().totals([running]) == {running.pk: 1}
    assert [(place, rank, points) for place, rank, _, points in final(ended)] == [
        (place, rank, points) for place, rank, _, points in places
    ]
    assert not Player.objects.filter(external_id=OLD).exists()


def test_the_file_of_a_players_own_data_has_what_only_dynamodb_knows() -> None:
    period = crowd(make_board("dynamodb"), {"a": 9, "b": 7})

    [told] = data_shown_to_player("b")["standings in DynamoDB"]
    close_due(TOMORROW)

    assert (told["period"], told["value"], told["at"]) == (str(period), [7], NOON)
    final_data = data_shown_to_player("b")
    assert "standings in DynamoDB" not in final_data
    assert [row["points"] for row in final_data["standings"]] == [7]


def test_an_erasure_waits_while_dynamodb_is_away_or_a_frozen_writer_has_put_the_name_back() -> None:
    period = crowd(make_board("dynamodb"), {OLD: 7})
    with away(), pytest.raises(StorageUnavailable):
        erase_player(OLD, NOON)
    remove = remove_from_period

    def remove_and_write(*arguments: Any) -> None:
        old = DynamoWriter().look_up(period, [OLD])[OLD]
        remove(*arguments)
        Standing.objects.create(period=period, player=Player.objects.get(external_id=OLD), member=OLD)
        DynamoWriter().write(period, None, new_standing(period, OLD, old.state), [])

    with (
        patch("leaderboards.services.players.erase.remove_from_period", remove_and_write),
        pytest.raises(StorageUnavailable),
    ):
        erase_player(OLD, NOON)
    assert Player.objects.filter(external_id=OLD).exists()

    erase_player(OLD, NOON)

    assert stored(period) == []


def test_a_standing_without_a_player_in_sql_is_not_copied_and_logged(caplog: pytest.LogCaptureFixture) -> None:
    period = crowd(make_board("dynamodb"), {"a": 5})
    state = DynamoWriter().look_up(period, ["a"])["a"].state
    DynamoWriter().write(period, None, new_standing(period, "erased meanwhile", state), [])

    [closed] = close_due(TOMORROW)

    assert (closed.final, closed.players) == (True, 1)
    assert f"1 standings of period {period.pk} have no player in SQL" in caplog.text


@pytest.mark.parametrize("how", EVERY_WAY)
def test_who_is_kept_out_is_shown_nowhere_until_they_are_let_back(how: str) -> None:
    board = make_board("dynamodb")
    period = crowd(board, {"a": 9, "b": 7, "c": 5})
    keep_out(how, board, "b", at=NOON)
    hidden, counted = shown(period), totals([period])
    let_back_from(how, board, "b", at=NOON)

    assert (hidden, counted) == ((2, ["a", "c"]), {period.pk: 2})
    assert (shown(period), totals([period])) == ((3, ["a", "b", "c"]), {period.pk: 3})


def test_a_removed_player_is_gone_comes_back_and_closed_periods_stay() -> None:
    board = make_board("dynamodb")
    period = crowd(board, {"a": 9, "b": 7})
    remove_from_period(period, "a", NOON)
    with pytest.raises(NotRanked):
        remove_from_period(period, "a", NOON)
    with away(), pytest.raises(StorageUnavailable):
        remove_from_period(period, "b", NOON)
    assert (shown(period), totals([period])) == ((1, ["b"]), {period.pk: 1})

    score(board, {"a": 1})
    close_due(TOMORROW)

    assert finalists(period) == ["b", "a"]
    with pytest.raises(PeriodClosed):
        remove_from_period(period, "a", NOON)


def test_a_removal_that_meets_a_score_is_refused_and_can_be_tried_again() -> None:
    period = crowd(make_board("dynamodb"), {"a": 9})
    remove = DynamoWriter.remove

    def overtaken(self: DynamoWriter, there: Period, old: Any) -> None:
        self.write(there, old, new_standing(there, "a", old.state._replace(value=(10,))), [])
        remove(self, there, old)

    with patch.object(DynamoWriter, "remove", overtaken), pytest.raises(StorageUnavailable, match="scored meanwhile"):
        remove_from_period(period, "a", NOON)

    assert stored(period) == ["a"]
    remove_from_period(period, "a", NOON)
    assert stored(period) == []


def test_changed_rules_reach_a_period_that_has_no_score_yet_and_no_other() -> None:
    board = make_board("dynamodb")
    open_due(NOON)
    next_one = period_of(board, TOMORROW)
    Standing.objects.create(
        period=next_one, player=Player.objects.create(external_id="early", created_at=NOON), member="early"
    )
    later = period_of(board, NOON + 2 * DAY)
    board.maximum = board.total_maximum = 77

    save_board(board, NOON)

    found = {each.pk: each.rules.maximum for each in Period.objects.filter(board=board)}
    assert (found[next_one.pk], found[later.pk]) == (2**31 - 1, 77)


def test_the_best_of_a_running_period_are_kept_by_the_hour() -> None:
    period = crowd(make_board("dynamodb"), {"a": 9, "b": 7})

    assert record_rank_history(period, NOON, NOON)
    with away(), pytest.raises(StorageUnavailable):
        record_rank_history(period, NOON + DAY / 24, NOON)

    rows = RankHistoryEntry.objects.order_by("rank").values_list("player__external_id", "rank", "points")
    assert [*rows] == [("a", 1, 9), ("b", 2, 7)]


def test_nobody_answers_in_the_place_of_dynamodb_and_there_is_no_file_of_a_running_period() -> None:
    period = crowd(make_board("dynamodb"), {"a": 9})
    board: Board = period.board
    with away(), pytest.raises(StorageUnavailable):
        shown(period)
    with away():
        assert totals([period]) == {}
    Period.objects.filter(pk=period.pk).update(starts_at=NOON - 30 * DAY)

    with pytest.raises(NotAvailable, match="there is no file before that"):
        selectors.export_rows(board, period.label)
    close_due(TOMORROW)
    assert [row.player for row in selectors.export_rows(board, period.label)[1]] == ["a"]
    assert live_store(period).read(period, [ForPlayers(("a",))]).answers
