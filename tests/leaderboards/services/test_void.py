"""Voiding: a standing is what the submissions that are left amount to."""

from datetime import timedelta

import pytest

from leaderboards.errors import PeriodClosed
from leaderboards.models import Period, Standing, Submission
from leaderboards.services.close import close_due
from leaderboards.services.void import void_submission
from tests.leaderboards.services.site import DAY, NOON, final, in_redis, in_sql, make_board, period_of, points, score

pytestmark = pytest.mark.django_db(transaction=True)


def scored(storage: str, update: str, *numbers: int) -> Period:
    board = make_board(storage, update=update)
    for step, number in enumerate(numbers):
        score(board, {"a": number}, NOON + timedelta(seconds=step))
    score(board, {"b": 6})
    return period_of(board)


def void(number: int) -> None:
    void_submission(Submission.objects.get(points=number, player__external_id="a"), NOON)


@pytest.mark.parametrize("storage", ["hybrid", "sql"])
@pytest.mark.parametrize(
    ("update", "left"), [("best", {"a": 5, "b": 6}), ("latest", {"a": 3, "b": 6}), ("increment", {"a": 8, "b": 6})]
)
def test_the_player_falls_back_to_what_the_others_amount_to(
    links: None, storage: str, update: str, left: dict[str, int]
) -> None:
    period = scored(storage, update, 5, 9, 3)

    void(9)

    assert points(period.board) == left
    if storage == "hybrid":
        assert in_redis(period) == in_sql(period)


def test_the_time_of_the_earlier_score_comes_back_with_it(links: None) -> None:
    scored("hybrid", "best", 5, 9)

    void(9)

    assert Standing.objects.get(player__external_id="a").at == NOON


def test_who_has_nothing_left_is_not_ranked(links: None) -> None:
    period = scored("hybrid", "best", 5)

    void(5)

    assert points(period.board) == {"b": 6}
    assert len(in_redis(period)) == 1


def test_voiding_twice_is_voiding_once(links: None) -> None:
    period = scored("hybrid", "increment", 5, 9)

    void(9)
    void(9)

    assert points(period.board) == {"a": 5, "b": 6}
    assert Standing.objects.get(player__external_id="a").version == 3


def test_a_voided_id_stays_used(links: None) -> None:
    board = make_board("hybrid", update="increment")
    score(board, {"a": 5}, id_="match")
    void(5)

    [again] = score(board, {"a": 5}, id_="match")

    assert (again.status, points(board)) == ("duplicate", {})


def test_final_standings_stay_as_they_are(links: None) -> None:
    period = scored("hybrid", "best", 5, 9)
    close_due(NOON + DAY)
    standings = final(period)

    with pytest.raises(PeriodClosed):
        void(9)

    assert final(period) == standings
    assert Submission.objects.get(points=9).voided_at is None
