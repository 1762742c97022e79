"""Bars of the last hour: what is not known is no bar, and no nothing either."""

from leaderboards.core.sparks import spark


def test_the_highest_bar_fills_the_drawing_and_the_least_can_be_seen() -> None:
    drawn = spark([0, 1, 1000])

    assert drawn is not None
    assert drawn.path == "M4 28v-1h3v1zM8 28v-28h3v28z"
    assert (drawn.width, drawn.most, drawn.known, drawn.unknown_width) == (11, 1000, 3, 0)


def test_minutes_of_which_nothing_is_known_are_marked() -> None:
    drawn = spark([None, None, 0])

    assert drawn is not None
    assert (drawn.path, drawn.known, drawn.unknown_width) == ("", 1, 8)
    assert spark([None, None]) is None


def test_several_are_drawn_on_one_scale_and_each_tells_its_own_most() -> None:
    low, high = spark([1, 5], 10), spark([1, 10], 10)

    assert low is not None
    assert high is not None
    assert low.path == "M0 28v-3h3v3zM4 28v-14h3v14z"
    assert high.path.endswith("M4 28v-28h3v28z")
    assert (low.most, high.most) == (5, 10)
