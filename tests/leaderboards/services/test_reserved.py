"""Boards that hold the totals of a series: nobody else changes their standings, through whichever door."""

import pytest
from django.test import Client

from competitions.models import Series
from competitions.services.series import score_due
from foundation import clock
from leaderboards import selectors
from leaderboards.core.entries import read_entry
from leaderboards.core.submissions import Caller, Outcome
from leaderboards.errors import BoardReserved
from leaderboards.models import Submission
from leaderboards.selectors.reserved import forget_reserved, reserved_for
from leaderboards.services.remove import remove_player
from leaderboards.services.submit import backfill, submit
from leaderboards.services.unvoid import unvoid_submission
from leaderboards.services.void import void_submission
from tests.competitions.factories import SeriesFactory
from tests.competitions.services.test_series import OVER, final
from tests.leaderboards.factories import AdminFactory, BoardFactory

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]


@pytest.fixture
def series() -> Series:
    """One in which ann has ten points."""
    forget_reserved()
    made = SeriesFactory.create(competitions=[final({"ann": 9})])
    score_due(OVER)
    return made


def sent(board: int, caller: Caller = Caller("tests")) -> Outcome:  # noqa: B008 (a value)
    [outcome] = submit([read_entry({"board": board, "player": "ann", "points": 99}, 0)], caller, clock.now())
    return outcome


def standing(series: Series) -> dict[str, object]:
    return {row.player: row.points for row in selectors.standings(series.board).rows}


def test_scores_are_refused_by_the_api_and_the_import_and_say_whose_board_it_is(series: Series) -> None:
    entry = read_entry({"board": series.board_id, "player": "ann", "points": 99}, 0)

    outcomes = [sent(series.board_id), *backfill([entry], Caller("import"), clock.now())]

    assert [outcome.code for outcome in outcomes] == ["board_reserved"] * 2
    assert f"series {series.pk}" in str(outcomes[0].detail)
    assert standing(series) == {"ann": 10}


def test_a_key_that_does_not_reach_the_board_hears_nothing_of_it(series: Series) -> None:
    assert sent(series.board_id, Caller("tests", frozenset({0}))).code == "forbidden"


def test_nobody_is_taken_out_and_no_submission_is_voided_or_restored(series: Series) -> None:
    with pytest.raises(BoardReserved):
        remove_player(series.board, "ann", clock.now())
    with pytest.raises(BoardReserved):
        void_submission(Submission.objects.get(board=series.board), clock.now())
    with pytest.raises(BoardReserved):
        unvoid_submission(Submission.objects.get(board=series.board), clock.now())

    assert standing(series) == {"ann": 10}


@pytest.mark.parametrize("storage", ["hybrid", "sql"])
def test_any_other_board_takes_scores_also_one_that_could_be_reserved(storage: str) -> None:
    board = BoardFactory.create(period="all_time", storage=storage)

    assert sent(board.seq).code is None
    assert reserved_for(board) == ""


def test_the_board_in_the_admin_says_that_it_is_reserved(series: Series, client: Client) -> None:
    client.force_login(AdminFactory.create())

    page = client.get(f"/admin/leaderboards/board/{series.board_id}/change/").content.decode()
    other = client.get(f"/admin/leaderboards/board/{BoardFactory.create().seq}/change/").content.decode()

    assert f"holds the totals of series {series.pk}" in page
    assert "holds the totals" not in other
