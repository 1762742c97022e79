"""Restoring a voided submission: the standing is as if it had never been voided."""

from typing import Any

import pytest

from leaderboards.errors import PeriodClosed, SubmissionsDropped, UnknownPlayer
from leaderboards.models import Board, Period, PeriodState, Standing, Submission
from leaderboards.services.moderation import unvoid
from leaderboards.services.moderation.remove import remove_player
from leaderboards.services.moderation.unvoid import unvoid_submission
from leaderboards.services.moderation.void import void_submission
from leaderboards.services.players.erase import erase_player
from tests.at_once import at_once
from tests.competitions.services.mishaps import dying_at
from tests.leaderboards.services.site import DAY, NOON, crowd, in_redis, in_sql, make_board, period_of, points, score

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]

KEEPING = ("hybrid", "sql")  # boards that keep submissions
HOUR = DAY / 24


def of(board: Board, number: int) -> Submission:
    return Submission.objects.get(board=board, points=number, player__external_id="a")


def standing(board: Board) -> list[tuple[Any, ...]]:
    """All that a rank depends on, of everybody."""
    rows = Standing.objects.filter(period=period_of(board)).order_by("player_id")
    return list(rows.values_list("player_id", "points", "at", "score", "member"))


@pytest.mark.parametrize("storage", KEEPING)
@pytest.mark.parametrize("voided", [5, 9, 3])
@pytest.mark.parametrize(
    "form",
    [
        {"update": "best"},
        {"update": "best", "order": "asc", "ties": "last_come"},
        {"update": "latest"},
        {"update": "increment", "ties": "shared"},
    ],
    ids=lambda form: f"{form['update']} {form.get('order', 'desc')}",
)
def test_value_time_and_ties_are_those_of_a_board_where_it_never_was_voided(
    storage: str, voided: int, form: dict[str, Any]
) -> None:
    judged, twin = (make_board(storage, name=name, **form) for name in ("judged", "twin"))
    for nth, number in enumerate((5, 9, 3)):
        for board in (judged, twin):
            score(board, {"a": number, "b": number}, NOON + nth * HOUR)

    void_submission(of(judged, voided), NOON)
    for board in (judged, twin):
        score(board, {"a": 4}, NOON + 4 * HOUR)
    assert unvoid_submission(of(judged, voided), NOON)

    assert standing(judged) == standing(twin)
    assert of(judged, voided).voided_at is None
    assert storage == "sql" or in_redis(period_of(judged)) == in_sql(period_of(judged))


@pytest.mark.parametrize("storage", KEEPING)
def test_the_limits_of_a_sum_refuse_no_restoring_and_the_sum_stops_there(storage: str) -> None:
    board = make_board(storage, update="increment", minimum=-60, maximum=99, total_maximum=99)
    score(board, {"a": 60})
    void_submission(of(board, 60), NOON)
    for each in (80, -20):
        score(board, {"a": each})

    unvoid_submission(of(board, 60), NOON)

    assert points(board) == {"a": 79}  # 60, 99 instead of 140, 79
    assert storage == "sql" or in_redis(period_of(board)) == in_sql(period_of(board))


def test_restoring_twice_or_at_once_is_restoring_once() -> None:
    board = make_board("hybrid", update="increment")
    for number in (5, 9):
        score(board, {"a": number})
    void_submission(of(board, 9), NOON)

    found = at_once([lambda: unvoid_submission(of(board, 9), NOON)] * 3)
    version = Standing.objects.get().version

    assert sorted(found) == [False, False, True]
    assert unvoid_submission(of(board, 9), NOON) is False
    assert (points(board), Standing.objects.get().version) == ({"a": 14}, version)


def test_who_was_taken_out_of_a_board_comes_back_with_each_score_that_is_restored() -> None:
    board = make_board("hybrid", update="increment")
    for number in (5, 9):
        score(board, {"a": number}, NOON)
    remove_player(board, "a", NOON)

    unvoid_submission(of(board, 5), NOON)

    assert points(board) == {"a": 5}
    assert in_redis(period_of(board)) == in_sql(period_of(board))


@pytest.mark.parametrize("state", [PeriodState.CLOSING, PeriodState.FINAL, PeriodState.EXPIRED])
def test_a_period_that_is_closed_stays_as_it_is(state: PeriodState) -> None:
    board = make_board("sql")
    crowd(board, {"a": 9})
    void_submission(of(board, 9), NOON)
    Period.objects.update(state=state)

    with pytest.raises(PeriodClosed, match="stay as they are"):
        unvoid_submission(of(board, 9), NOON)

    assert of(board, 9).voided_at == NOON
    assert points(board) == {}


@pytest.mark.parametrize("storage", KEEPING)
def test_nothing_is_restored_of_who_was_erased_or_is_being(storage: str) -> None:
    board = make_board(storage)
    crowd(board, {"a": 9, "b": 6})
    seen = of(board, 9)
    void_submission(seen, NOON)
    seen.player.erasing_since = NOON
    seen.player.save(update_fields=["erasing_since"])
    with pytest.raises(UnknownPlayer):
        unvoid_submission(seen, NOON)
    erase_player("a", NOON)

    for each in (seen, Submission.objects.get(pk=seen.pk)):
        with pytest.raises(UnknownPlayer):
            unvoid_submission(each, NOON)

    assert points(board) == {"b": 6}
    assert storage == "sql" or in_redis(period_of(board)) == in_sql(period_of(board))


def test_what_was_not_kept_is_not_restored() -> None:
    board = make_board("sql")
    crowd(board, {"a": 9})
    seen = of(board, 9)
    void_submission(seen, NOON)
    Submission.objects.all().delete()

    with pytest.raises(SubmissionsDropped):
        unvoid_submission(seen, NOON)

    assert points(board) == {}


@pytest.mark.parametrize("storage", KEEPING)
def test_who_dies_at_restoring_has_done_nothing_of_it(storage: str) -> None:
    board = make_board(storage)
    crowd(board, {"a": 9})
    void_submission(of(board, 9), NOON)

    with dying_at(unvoid, "unvoid.before_commit"):
        unvoid_submission(of(board, 9), NOON)

    assert of(board, 9).voided_at == NOON
    assert points(board) == {}
