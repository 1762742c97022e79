"""The podium: the first three rows, if no fourth one shares their rank."""

from collections.abc import Sequence

from leaderboards.views.components.table_rows import Line

STEPS = 3


def podium(lines: Sequence[Line]) -> list[Line]:
    """Return the first three rows. Empty if there are fewer, or if the fourth row shares the third rank.

    The podium would then exclude a player only by the order among equals.
    """
    best = list(lines[:STEPS])
    if len(best) < STEPS or any(line.rank is None for line in best):
        return []
    fourth_rank = lines[STEPS].rank if len(lines) > STEPS else None
    return [] if fourth_rank == best[-1].rank else best
