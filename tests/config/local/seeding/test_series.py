"""The demo's series: made once, with the competitions that are in it; the worker counts what is final."""

from datetime import UTC, datetime, timedelta

import pytest

from competitions.models import Competition, Series, SeriesEvent
from competitions.services.series.count_results import count_due_series
from config.local.seeding.competitions import BOARD, IN_SERIES
from config.local.seeding.seed import make_boards
from config.local.seeding.series import NAME, TABLE, make_series
from leaderboards import selectors
from leaderboards.errors import BadBoard
from leaderboards.models import Board
from tests.competitions.factories import DAY
from tests.competitions.services.series.test_count_results import final
from tests.competitions.site import draft, open_competition
from tests.leaderboards.factories import BoardFactory
from tests.links import links

__all__ = ["links"]

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("links")]

AT = datetime.now(UTC)


def test_the_finals_and_tournaments_are_in_the_series_and_a_later_start_adds_only_what_is_new() -> None:
    make_boards()
    board = Board.objects.get(name=BOARD)
    over = final({"ann": 9, "bob": 7}, name=IN_SERIES[0])
    Competition.objects.filter(pk=over.pk).update(name="Another")
    cup = open_competition(board, name=IN_SERIES[1])
    open_competition(board, name="Workout among friends")
    draft(board, name=IN_SERIES[0])

    make_series(board, IN_SERIES, AT)
    later = open_competition(board, name=IN_SERIES[0], starts_at=cup.starts_at + DAY, ends_at=cup.ends_at + DAY)
    make_series(board, IN_SERIES, AT + timedelta(hours=1))
    make_series(board, IN_SERIES, AT + timedelta(hours=2))

    assert Series.objects.get().name == NAME
    assert list(SeriesEvent.objects.values_list("competition", "position")) == [(cup.pk, 1), (later.pk, 2)]


def test_what_is_final_is_counted_by_the_worker() -> None:
    over = final({"ann": 9, "bob": 7}, name=IN_SERIES[0])

    make_series(over.board, IN_SERIES, AT)
    count_due_series(AT + 2 * DAY)

    rows = selectors.standings(Series.objects.get().board).rows
    assert {row.player: row.points for row in rows} == {"ann": TABLE[0], "bob": TABLE[1]}


def test_where_somebody_has_made_a_board_of_its_name_there_is_no_series() -> None:
    board = BoardFactory.create(name=NAME)

    with pytest.raises(BadBoard):
        make_series(board, IN_SERIES, AT)

    assert not Series.objects.exists()
