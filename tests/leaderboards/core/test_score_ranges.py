"""Cutting a period into ranges, and which range has what: pure rules."""

from hypothesis import given
from hypothesis import strategies as st

from leaderboards.core.score_ranges import (
    Note,
    Place,
    changes,
    choose_cuts,
    counts_at_cuts,
    is_hot,
    place_of,
    range_of,
    ranges_of_score,
    spans,
)

SCORES = st.sampled_from((-1.5, 0.0, 1.0, 2.0, 3.0, 1e300, 5e-324))
PLACES = st.builds(Place, SCORES, st.sampled_from(("a", "B", "b_", "ä", "가", "0_1", "a b")))
CUTS = st.lists(PLACES, max_size=5, unique=True).map(lambda found: sorted(found, key=lambda place: place.key))


@given(PLACES)
def test_a_place_is_read_as_it_was_written(place: Place) -> None:
    assert place_of(place.text) == place


@given(CUTS, PLACES)
def test_a_place_is_in_the_range_between_the_cuts_around_it(cuts: list[Place], place: Place) -> None:
    number = range_of(cuts, place)

    assert all(cut.key <= place.key for cut in cuts[:number])
    assert all(cut.key > place.key for cut in cuts[number:])


@given(CUTS, PLACES)
def test_whoever_has_a_score_is_in_one_of_its_ranges(cuts: list[Place], place: Place) -> None:
    assert range_of(cuts, place) in ranges_of_score(cuts, place.score)


@given(st.lists(st.lists(PLACES, unique=True), max_size=4), st.sampled_from((4, 16)))
def test_cuts_are_in_order_and_fewer_than_ranges(partitions: list[list[Place]], ranges: int) -> None:
    cuts = choose_cuts([(len(partition), partition) for partition in partitions if partition], ranges)

    assert cuts == sorted(set(cuts), key=lambda place: place.key)
    assert len(cuts) < ranges


def test_cuts_give_each_range_its_share_of_all_players_also_among_equal_scores() -> None:
    partitions = [
        [Place(7.0, f"{partition}-{nth:03}") for nth in range(100 * (partition + 1))] for partition in range(4)
    ]

    cuts = choose_cuts([(len(partition), partition) for partition in partitions], 4)

    sizes = [0] * 4
    for partition in partitions:
        for place in partition:
            sizes[range_of(cuts, place)] += 1
    assert sum(sizes) == 1000
    assert max(sizes) <= 260


def test_a_sampled_partition_weighs_as_much_as_it_has_players() -> None:
    small, large = [Place(1.0, "a"), Place(2.0, "b")], [Place(8.0, "c"), Place(9.0, "d")]

    (cut,) = choose_cuts([(10, small), (1000, large)], 2)

    assert cut.score == 8.0


def test_a_range_is_hot_with_more_than_twice_its_share_of_enough_players() -> None:
    assert is_hot([100, 100, 100, 301])
    assert not is_hot([100, 100, 100, 300])
    assert not is_hot([0, 0, 0, 199])
    assert is_hot([0, 0, 0, 200])


def test_who_moves_leaves_each_place_at_which_ranges_may_have_them() -> None:
    cuts = [Place(10.0, "m")]
    note = Note("p", "#3.1\n5 p\n20 p\n7 q", Place(12.0, "p"))

    found = changes([note], cuts)

    assert found[0].removed == {"p", "q"}
    assert (found[1].removed, found[1].added) == (set(), {"p": 12.0})


def test_who_is_gone_leaves_their_place_and_a_newcomer_leaves_none() -> None:
    found = changes([Note("gone", "5 gone", None), Note("new", "", Place(6.0, "new"))], [])

    assert (found[0].removed, found[0].added) == ({"gone"}, {"new": 6.0})


@given(st.lists(st.integers(0, 9), min_size=1, max_size=5), st.booleans(), st.integers(0, 40), st.integers(0, 20))
def test_spans_are_the_rows_that_one_list_of_all_would_have(
    sizes: list[int], is_descending: bool, first: int, count: int
) -> None:
    everybody = [(number, index) for number, size in enumerate(sizes) for index in range(size)]
    if is_descending:
        everybody = [(number, index) for number in reversed(range(len(sizes))) for index in range(sizes[number])]

    found = list(spans(sizes, is_descending, first, count))

    rows = [(each.number, each.first + nth) for each in found for nth in range(each.many)]
    assert rows == everybody[first : first + count]
    assert all(each.many for each in found)


def test_counts_at_cuts_are_of_the_better_side() -> None:
    assert counts_at_cuts([1, 2, 4], 2, is_descending=True) == [6, 4, 7]
    assert counts_at_cuts([1, 2, 4], 2, is_descending=False) == [1, 3, 7]
