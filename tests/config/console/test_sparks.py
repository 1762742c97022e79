"""Bars of the last hour: what is not known is no bar, and no nothing either."""

from config.console.sparks import spark


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
