"""The race's geometry: columns evenly apart, a line for each player that ends in their row, equals below each other."""

import re
from datetime import UTC, datetime, timedelta
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from leaderboards.core.race import (
    EDGE,
    LINES,
    MOST_COLUMNS,
    ROW,
    UNIT,
    WIDTH,
    RanksThen,
    across,
    columns,
    line,
    own_line,
    places,
)

START = datetime(2026, 11, 16, tzinfo=UTC)
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
PLAYERS = [f"p{number}" for number in range(LINES)]

rows_of_a_player = st.lists(st.one_of(st.none(), st.integers(1, 40)), min_size=1, max_size=MOST_COLUMNS - 1)


def end_of(path: str) -> tuple[int, int]:
    """Where a path ends, each of its pieces walked."""
    x, y = 0, 0.0
    for piece, text in re.findall(r"([Mchs])([^Mchs]*)", path):
        numbers = [float(each) for each in re.findall(r"-?[\d.]+", text)]
        if piece == "M":
            x, y = int(numbers[0]), numbers[1]
        elif piece == "h":
            x += int(numbers[0])
        else:
            assert len(numbers) == {"c": 6, "s": 4}[piece], text
            x, y = x + int(numbers[-2]), y + numbers[-1]
    return x, round(y * UNIT)


def xs_of(count: int) -> list[int]:
    return [EDGE + round((WIDTH - EDGE) * nth / count) for nth in range(count)] + [WIDTH]


@given(st.lists(st.integers(0, 400), min_size=1, max_size=120, unique=True), st.integers(1, 30))
def test_columns_are_few_start_with_the_first_and_lie_apart(hours: list[int], after: int) -> None:
    moments = [START + hour * HOUR for hour in sorted(hours)]
    end = moments[-1] + after * HOUR

    chosen = [moments[nth] for nth in columns(moments, end)]

    step = (end - moments[0]) / (MOST_COLUMNS - 1)
    assert chosen[0] == moments[0]
    assert len(chosen) < MOST_COLUMNS
    assert all(later - earlier >= step for earlier, later in pairwise(chosen))
    assert columns([], end) == []


def test_few_looks_that_lie_evenly_are_all_columns() -> None:
    days = [START + nth * DAY for nth in range(7)]

    assert columns(days, days[-1] + 13 * HOUR) == list(range(7))
    assert [across(at, days[0], days[-1]) for at in (days[0], days[3], days[-1])] == [EDGE, 244, WIDTH]


@given(rows_of_a_player, st.integers(1, LINES))
def test_every_line_ends_in_its_row_and_stays_between_its_columns(rows: list[int | None], row: int) -> None:
    xs = xs_of(len(rows))

    drawn = line(xs, [*rows, row], LINES)

    assert end_of(drawn.path) == (WIDTH, row * ROW - ROW // 2)
    if drawn.start is not None:
        assert drawn.start.x in xs
        assert drawn.start.y <= LINES * ROW


@given(rows_of_a_player, st.integers(1, LINES + 30))
def test_ones_own_line_ends_in_its_row_or_in_the_lane_below(rows: list[int | None], row: int) -> None:
    xs, ranks = xs_of(len(rows)), [*rows, row]

    drawn = own_line(xs, ranks, ranks, LINES)

    x, y = end_of(drawn.path)
    assert x == WIDTH
    assert y == row * ROW - ROW // 2 if row <= LINES else y > LINES * ROW
    assert all(turn.rank in ranks and turn.x < WIDTH for turn in drawn.turns)


@given(st.lists(st.integers(0, 4), min_size=LINES, max_size=LINES), st.sampled_from(["shared", "dense", "alone"]))
def test_no_two_stand_in_one_row(points: list[int], ties: str) -> None:
    order = sorted(PLAYERS, key=lambda each: -points[PLAYERS.index(each)])
    had = [points[PLAYERS.index(each)] for each in order]
    better = {
        "alone": list(range(len(had))),
        "shared": [sum(other > each for other in had) for each in had],
        "dense": [len({other for other in had if other > each}) for each in had],
    }[ties]
    ranks = {player: 1 + above for player, above in zip(order, better, strict=True)}
    above = {rank: sum(ranks[each] < rank for each in order) for rank in range(1, LINES + 2)}

    stood = places(RanksThen(ranks, is_whole=True), order, above if ties == "dense" else None)

    assert stood == list(range(1, LINES + 1))


def test_who_was_not_ranked_has_no_row_and_of_whom_nobody_knows_the_row_is_below() -> None:
    for is_whole, stood in ((True, None), (False, LINES * 100)):
        assert places(RanksThen({"p0": 1}, is_whole), ["p0", "p1"]) == [1, stood]


def test_a_line_leaves_through_the_lower_edge_and_comes_back() -> None:
    xs = xs_of(4)

    drawn = line(xs, [2, 30, 31, 900, 3], 3)

    assert drawn.path == "M8 3c59 0 59 6 118 6M362 9c59 0 59-4 118-4"
    assert drawn.start is not None
    assert (drawn.start.x, drawn.start.y) == (8, 66)
    assert line(xs, [900, 900, 900, 900, 1], 3).start is None


def test_who_is_new_has_a_short_line_into_their_row() -> None:
    assert line(xs_of(2), [None, None, 2], 3).path == "M472 3h8"
    assert own_line(xs_of(2), [None, None, 9], [None, None, 9], 3).path == "M472 7.36h8"


def test_ones_own_line_tells_where_it_turned() -> None:
    ranks = [18, 15, 8, 14, 17, 16, 12]

    drawn = own_line(xs_of(6), ranks, ranks, LINES)

    assert [turn.rank for turn in drawn.turns] == [18, 8, 17]
    assert drawn.has_lane
    assert not own_line(xs_of(2), [3, 1, 2], [3, 1, 2], LINES).has_lane
