"""Who stands on the podium: the first three rows, where three steps can show them honestly."""

from collections.abc import Sequence

from leaderboards.views.components.table_rows import Line

STEPS = 3


def podium(lines: Sequence[Line]) -> list[Line]:
    """The best three, best first; equals stand on equal steps. None where a fourth is as good as the third.

    Somebody would be left below for nothing but the order of equals: the table alone shows them then.
    """
    best = list(lines[:STEPS])
    if len(best) < STEPS or any(line.rank is None for line in best):
        return []
    left_out = lines[STEPS].rank if len(lines) > STEPS else None
    return [] if left_out == best[-1].rank else best
