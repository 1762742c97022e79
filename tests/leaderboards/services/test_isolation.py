"""One bad entry, row or board keeps no other waiting."""

from datetime import timedelta

import pytest

from leaderboards.core.entries import read_entry
from leaderboards.core.submissions import Caller
from leaderboards.errors import BadBoard
from leaderboards.models import Board, Period, State
from leaderboards.services import retain
from leaderboards.services.boards import apply_boards
from leaderboards.services.close import close_due
from leaderboards.services.open import open_due
from leaderboards.services.submit import submit
from tests.leaderboards.factories import BoardFactory
from tests.leaderboards.services.site import DAY, NOON, crowd

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]

CENTURIES = 9_999_999


def test_a_time_before_all_periods_is_refused_alone_also_with_an_id() -> None:
    board = BoardFactory.create(storage="redis", period="day", timezone="America/New_York", at=NOON)
    sent = [
        {"board": board.seq, "player": "early", "points": 1, "id": "e", "at": "1970-01-01T00:00:00Z"},
        {"board": board.seq, "player": "good", "points": 2, "id": "g"},
    ]

    outcomes = submit([read_entry(each, nth) for nth, each in enumerate(sent)], Caller("tests"), NOON)

    assert [(each.status.value, each.code) for each in outcomes] == [("rejected", "bad_time"), ("updated", None)]


@pytest.mark.parametrize("setting", ["retention_days", "keep_submissions_days"])
def test_days_beyond_a_century_are_refused(setting: str) -> None:
    with pytest.raises(BadBoard, match=setting):
        apply_boards([{"name": "For ever", setting: CENTURIES}], NOON)


@pytest.mark.parametrize(("period", "upkeep"), [("day", "expire_due"), ("all_time", "fold_submissions")])
def test_a_board_with_days_beyond_the_calendar_keeps_no_other_from_its_upkeep(period: str, upkeep: str) -> None:
    odd = BoardFactory.create(name="Odd", period=period, storage="sql", at=NOON)
    plain = BoardFactory.create(period=period, storage="sql", keep_submissions_days=2, retention_days=1, at=NOON)
    for board in (odd, plain):
        crowd(board, 2)
    Board.objects.filter(pk=odd.pk).update(retention_days=CENTURIES, keep_submissions_days=CENTURIES)
    close_due(NOON + 2 * DAY)

    if upkeep == "fold_submissions":
        with pytest.raises(ExceptionGroup, match="some could not be done"):
            retain.fold_submissions(NOON + 5 * DAY)
        assert set(plain.submissions.values_list("service", flat=True)) == {retain.BASELINE}
    else:
        retain.expire_due(NOON + 5 * DAY)
        assert {period.board for period in Period.objects.filter(state=State.EXPIRED)} == {plain}


def test_a_board_whose_zone_is_unknown_keeps_no_other_from_opening() -> None:
    odd, plain = BoardFactory.create(name="Odd", period="day", at=NOON), BoardFactory.create(period="day", at=NOON)
    Board.objects.filter(pk=odd.pk).update(timezone="Mars/Olympus")

    with pytest.raises(ExceptionGroup, match="some could not be done"):
        open_due(NOON + 3 * DAY)

    assert plain.periods.filter(starts_at__gte=NOON + timedelta(days=2)).count() == 2
