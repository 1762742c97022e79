"""Who stands on the podium: three at the most, equals on equal steps, and nobody left below a step that is theirs."""

import pytest

from leaderboards.views.lines import Line
from leaderboards.views.podium import podium


def ranked(*ranks: int | None) -> list[Line]:
    return [Line(f"p{nth}", f"p{nth}", rank, False, ["1"], None, False) for nth, rank in enumerate(ranks)]


@pytest.mark.parametrize(
    ("ranks", "shown"),
    [
        ((1, 2, 3, 4), [1, 2, 3]),
        ((1, 2, 3), [1, 2, 3]),
        ((1, 1, 3, 4), [1, 1, 3]),
        ((1, 2, 2, 4), [1, 2, 2]),
        ((1, 1, 1, 4), [1, 1, 1]),
        ((1, 2, 3, 3), []),
        ((1, 1, 1, 1), []),
        ((1, 2), []),
        ((), []),
        ((None, None, None), []),
    ],
)
def test_three_stand_there_or_nobody(ranks: tuple[int | None, ...], shown: list[int]) -> None:
    assert [line.rank for line in podium(ranked(*ranks))] == shown
