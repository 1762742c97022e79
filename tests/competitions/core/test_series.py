"""Points by place, drop-worst, and tables as people type them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from competitions.core.series import MOST_POINTS, Scoring, read_table, table_text
from competitions.errors import BadSeries

tables = st.lists(st.integers(0, 100), min_size=1, max_size=8).map(lambda points: tuple(sorted(points, reverse=True)))


def test_a_place_earns_what_the_table_says_and_everybody_who_is_ranked_what_taking_part_earns() -> None:
    scoring = Scoring((25, 18, 15), taking_part=2)

    assert [scoring.points_of(place) for place in (1, 2, 3, 4, 100_000)] == [27, 20, 17, 2, 2]


def test_the_best_results_count_and_of_equal_ones_the_earlier() -> None:
    scoring = Scoring((25,), best=2)

    assert scoring.counted([15, 25, 15, 0]) == [True, True, False, False]
    assert scoring.total([15, 25, 15, 0]) == 40
    assert scoring.counted([15]) == [True]
    assert (scoring.counted([]), scoring.total([])) == ([], 0)


@given(tables, st.integers(0, 5), st.none() | st.integers(1, 6), st.lists(st.integers(1, 10), max_size=8))
def test_a_total_is_what_a_naive_recount_comes_to(
    table: tuple[int, ...], taking_part: int, best: int | None, places: list[int]
) -> None:
    scoring = Scoring(table, taking_part, best)
    points = [scoring.points_of(place) for place in places]

    naive = [(dict(enumerate(table, start=1)).get(place, 0)) + taking_part for place in places]
    while best is not None and len(naive) > best:
        naive.remove(min(naive))
    kept = [each for each, counts in zip(points, scoring.counted(points), strict=True) if counts]

    assert scoring.total(points) == sum(naive)
    assert sorted(kept) == sorted(naive)


@given(tables)
def test_a_table_is_read_as_it_is_written(table: tuple[int, ...]) -> None:
    assert read_table(table_text(table)) == table


def test_people_type_blanks_commas_and_lines() -> None:
    assert read_table(" 25, 18;15\n12  10 ") == (25, 18, 15, 12, 10)
    assert read_table(f"{MOST_POINTS}") == (MOST_POINTS,)
    assert read_table("10 10 0") == (10, 10, 0)


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("", "1 to 1000 places"),
        (" , ", "1 to 1000 places"),
        ("1 " * 1001, "1 to 1000 places"),
        ("25 x", "“x” is no number of points"),
        ("25 1.5", "“1.5” is no number of points"),
        ("-1", "“-1” is no number of points"),
        (f"{MOST_POINTS + 1}", "is no number of points"),
        ("٢٥", "is no number of points"),
        ("18 25", "Place 2 would earn more than place 1"),
    ],
)
def test_what_is_no_table_is_refused_with_what_to_do(typed: str, said: str) -> None:
    with pytest.raises(BadSeries, match=said) as refused:
        read_table(typed)

    assert refused.value.field == "table"
