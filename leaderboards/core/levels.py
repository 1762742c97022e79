"""Levels: which scores of a dense board that is compact or in several partitions anybody has, as bits of a number.

A partition keeps a bit for each score, from 0; of scores in several partitions the bits are joined. So a board in
several partitions may have dense ranks only if its scores are few.
"""

LEVELS = 16_384  # scores that such a board may have: 2 KB a partition


def levels_ahead(levels: int, score: int, descending: bool) -> int:
    """Count the levels that are better than ``score``. In ``levels`` the highest bit is that of score 0."""
    better = levels & ((1 << (LEVELS - 1 - score)) - 1) if descending else levels >> (LEVELS - score)
    return better.bit_count()
