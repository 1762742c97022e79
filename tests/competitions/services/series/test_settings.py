"""A series that is changed: its competitions, their order, its points and its name."""

import pytest

from competitions.services.series.count_results import count_due_series
from competitions.services.series.settings import change, count_again, put_in, remove_event
from tests.competitions.factories import MINUTE, SeriesFactory
from tests.competitions.services.series.test_count_results import OVER, final, results, totals

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]


def test_a_competition_taken_out_takes_its_points_along_and_who_has_no_result_left_is_off_the_board() -> None:
    first, second = final({"ann": 9, "bob": 7}), final({"bob": 9})
    series = SeriesFactory.create(competitions=[first, second])
    count_due_series(OVER)

    remove_event(first.series_event)
    count_due_series(OVER + MINUTE)

    assert totals(series) == {"bob": 10}
    assert results(first) == []
    assert count_due_series(OVER + 2 * MINUTE) == 0


def test_another_competition_in_the_place_of_one_takes_its_points_along() -> None:
    first, second, third = final({"ann": 9, "bob": 7}), final({"bob": 9}), final({"cleo": 9})
    series = SeriesFactory.create(competitions=[first, second])
    count_due_series(OVER)

    event = series.events.get(competition=first)
    event.competition = third
    put_in(event)
    count_due_series(OVER + MINUTE)

    assert totals(series) == {"bob": 10, "cleo": 10}
    assert results(first) == []


def test_another_order_decides_which_of_equal_results_count_and_says_nothing_of_what_was_counted() -> None:
    first, second = final({"ann": 9}), final({"ann": 9})
    series = SeriesFactory.create(competitions=[first, second], best=1)
    count_due_series(OVER)
    event = series.events.get(competition=first)
    count_again(series)

    event.position = 3
    put_in(event)  # a form that was opened before, and knows the old number
    assert set(series.events.values_list("revision_counted", flat=True)) == {None}
    count_due_series(OVER + MINUTE)

    assert [results(each)[0][3] for each in (first, second)] == [False, True]
    assert totals(series) == {"ann": 10}


def test_another_table_or_another_number_of_results_counts_all_of_them_anew() -> None:
    first, second = final({"ann": 9, "bob": 7}), final({"bob": 9, "ann": 7})
    series = SeriesFactory.create(competitions=[first, second])
    count_due_series(OVER)

    series.table, series.best = [5, 4], 1
    change(series, "public")
    count_due_series(OVER + MINUTE)

    assert totals(series) == {"ann": 5, "bob": 5}


def test_another_name_counts_nothing_anew_and_the_board_bears_it() -> None:
    series = SeriesFactory.create(competitions=[final({"ann": 9})])
    count_due_series(OVER)

    series.name = "Grand Prix"
    change(series, "private")

    series.board.refresh_from_db()
    assert (series.board.name, series.board.visibility) == ("Grand Prix", "private")
    assert count_due_series(OVER + MINUTE) == 0
