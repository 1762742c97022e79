"""Retention: nothing goes before it may, and what is folded still makes the same standings."""

from datetime import timedelta
from unittest.mock import patch

import pytest

from foundation.models import DeadLetter
from leaderboards.core.ranking.policies import replay
from leaderboards.errors import BadBoard
from leaderboards.models import Board, Difference, LinkCode, Period, PeriodState, Standing, Submission
from leaderboards.selectors.moderation.purges import BASELINE
from leaderboards.services.moderation.void import void_submission
from leaderboards.services.periods import retention
from leaderboards.services.periods.close import close_due
from leaderboards.services.periods.retention import compact_submissions, drop_records, drop_submissions, expire_due
from leaderboards.services.players.link import make_code
from leaderboards.stores.sql.writes import state_of
from tests.leaderboards.services.site import (
    DAY,
    NOON,
    WHO_DECIDES,
    crowd,
    final,
    in_redis,
    make_board,
    period_of,
    redis_client,
    score,
)

SECOND, LATER = timedelta(seconds=1), NOON + 400 * DAY


def days_left(period: Period) -> list[int]:
    """Of each key of the period that is there; 0 for one that stays."""
    with redis_client() as client:
        return [round(client.ttl(key) / 86_400) for key in period.family.all_keys if client.exists(key)]


def rederived(period: Period) -> dict[str, tuple[int, ...] | None]:
    """Each player's value and time, from their submissions alone."""
    found: dict[str, tuple[int, ...] | None] = {}
    for row in Standing.objects.filter(period=period).select_related("player"):
        rows = Submission.objects.filter(period=period, player=row.player, voided_at=None).order_by("pk")
        state = replay(period.rules, (state_of(each.points, each.fields, each.at) for each in rows))
        found[row.player.external_id] = None if state is None else (*state.value, state.at_ms)
    return found


@WHO_DECIDES
def test_keys_live_until_their_period_has_been_final_for_as_long_as_the_board_says(storage: str) -> None:
    period = crowd(make_board(storage, retention_days=3), 5)
    for state, closed_at in ((PeriodState.CLOSING, NOON), (PeriodState.OPEN, None)):
        Period.objects.filter(pk=period.pk).update(state=state, closed_at=closed_at)
        assert expire_due(LATER) == 0  # it is not final, however late it is
    assert len(in_redis(period)) == 5
    assert set(days_left(period)) == {0}

    closed = NOON + 2 * DAY
    close_due(closed)

    assert set(days_left(period)) == {3}
    assert expire_due(closed + 3 * DAY - SECOND) == 0
    assert len(in_redis(period)) == 5
    assert expire_due(closed + 3 * DAY) == 2  # and the next, opened ahead
    assert days_left(period) == []
    assert Period.objects.get(pk=period.pk).state == PeriodState.EXPIRED
    assert expire_due(closed + 3 * DAY) == 0
    assert len(final(period)) == 5


@patch.object(retention, "BATCH", 10)
def test_submissions_of_final_periods_go_in_batches() -> None:
    board = make_board("hybrid", keep_submissions_days=2)
    old, running = crowd(board, 35), crowd(board, 4, NOON + 3 * DAY)
    close_due(NOON + DAY)

    assert drop_submissions(NOON + 3 * DAY) == 0
    assert drop_submissions(NOON + 3 * DAY + SECOND) == 35

    assert [Submission.objects.filter(period=period).count() for period in (old, running)] == [0, 4]
    assert len(final(old)) == 35
    assert drop_submissions(LATER) == 0


@pytest.mark.parametrize("update", ["best", "latest", "increment"])
def test_folding_changes_no_standing_and_they_can_be_derived_as_before(update: str) -> None:
    board = make_board("hybrid", period="all_time", update=update, keep_submissions_days=10)
    for day, points in {0: {"a": 5, "b": 7}, 1: {"a": 9, "b": 1}, 2: {"a": 3}, 50: {"a": 4, "c": 6}}.items():
        score(board, points, NOON + day * DAY)
    period = period_of(board)
    standings = list(Standing.objects.filter(period=period).order_by("player").values())
    shown, derived = in_redis(period), rederived(period)

    assert compact_submissions(NOON + 55 * DAY) == 5

    kept = Submission.objects.filter(period=period)
    assert sorted(kept.values_list("player__external_id", "service")) == [
        ("a", "baseline"),
        ("a", "tests"),
        ("b", "baseline"),
        ("c", "tests"),
    ]
    assert list(Standing.objects.filter(period=period).order_by("player").values()) == standings
    assert (in_redis(period), rederived(period)) == (shown, derived)
    assert compact_submissions(NOON + 55 * DAY) == 0


def test_a_baseline_folds_into_the_next_one_and_what_was_voided_is_in_none() -> None:
    board = make_board("hybrid", period="all_time", update="increment", keep_submissions_days=10)
    score(board, {"a": 100, "gone": 5})
    for row in Submission.objects.all():
        void_submission(row, NOON)
    for day in (0, 1, 30, 31):
        score(board, {"a": 10}, NOON + day * DAY)
    compact_submissions(NOON + 20 * DAY)

    compact_submissions(NOON + 60 * DAY)

    row = Submission.objects.get()
    assert (row.points, row.service) == (40, "baseline")
    assert rederived(period_of(board)) == {"a": (40, int(row.at.timestamp() * 1000)), "gone": None}
    void_submission(row, NOON)
    # Another run may have folded a player already.
    assert [retention._compact_player(row.period, row.player_id, LATER) for _ in range(2)] == [1, 0]


@patch.object(retention, "BATCH", 2)
def test_records_go_when_they_have_been_over_for_long_enough_and_closing_has_asked_what_was_given_up() -> None:
    period = period_of(make_board("redis", period="year"))
    for name in "abcdef":
        DeadLetter.note("mirror", name, {"period": period.pk, "player": name}, "why", NOON)
        Difference.objects.create(period=period, player=name, repaired=True, found_at=NOON)
        make_code(name, NOON - timedelta(minutes=10))
    DeadLetter.resolve("mirror", "abcd", "mirrored", NOON)
    DeadLetter.resolve("mirror", "e", "dropped", NOON)

    early, due = drop_records(NOON + 90 * DAY), drop_records(NOON + 90 * DAY + SECOND)

    assert (early, due) == (0, 16)
    assert (Difference.objects.exists(), LinkCode.objects.exists()) == (False, False)
    Period.objects.filter(pk=period.pk).update(state=PeriodState.FINAL)
    assert drop_records(LATER) == 1
    assert DeadLetter.objects.get().subject == "f"  # nobody has decided


def test_a_board_with_days_beyond_the_calendar_is_refused_and_keeps_no_other_from_its_upkeep() -> None:
    days = {"retention_days": 9_999_999, "keep_submissions_days": 9_999_999}
    for setting, number in days.items():
        with pytest.raises(BadBoard, match=setting):
            make_board("sql", NOON, **{setting: number})
    for name in ("Odd", "Plain"):
        crowd(make_board("sql", name=name, retention_days=1), 2)
        crowd(make_board("sql", name=f"{name} always", period="all_time", keep_submissions_days=2), 2)
    Board.objects.filter(name__startswith="Odd").update(**days)
    close_due(NOON + 2 * DAY)

    expire_due(NOON + 5 * DAY)
    with pytest.raises(ExceptionGroup, match="some could not be done"):
        compact_submissions(NOON + 5 * DAY)

    assert {period.board.name for period in Period.objects.filter(state=PeriodState.EXPIRED)} == {"Plain"}
    folded = Submission.objects.filter(service=BASELINE)
    assert list(folded.values_list("period__board__name", flat=True)) == ["Plain always"] * 2
