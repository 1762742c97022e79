"""Find names in a table that is small enough to read whole, such as boards and competitions.

Somebody who types asks anew at each letter, so each name is folded once and not at each letter. ``MOST_NAMES`` bounds
what is looked at.
"""

from collections.abc import Iterable

from leaderboards.core.input.folding import Ranges, begins_with, fold, is_searchable, prefix_ranges

MOST_NAMES = 20_000


class FoldedNames:
    """The folded names of one table by number, as of the last search; at most ``MOST_NAMES``."""

    def __init__(self) -> None:
        self._folded: dict[int, tuple[str, str]] = {}

    def best(self, names: Iterable[tuple[int, str]], sought: str) -> list[int]:
        """Return the numbers of those (number, name) whose name matches, the best match first."""
        known, seen = self._folded, dict[int, tuple[str, str]]()
        wanted, ranked = fold(sought), list[tuple[int, int]]()
        for number, name in names:
            pair = known.get(number)
            if pair is None or pair[0] != name:
                pair = (name, fold(name))
            seen[number] = pair
            rank = match_rank(*pair, sought, wanted)
            if rank is not None:
                ranked.append((rank, number))
        self._folded = seen
        return [number for _, number in sorted(ranked, key=lambda each: each[0])]


def match_rank(name: str, folded: str, sought: str, wanted: str) -> int | None:
    """Return how ``sought``, folded ``wanted``, matches ``name``, which folds to ``folded``.

    0 exactly, 1 folded, 2 as a prefix, 3 as the prefix of a word, 4 anywhere; None for no match.
    """
    if name == sought:
        return 0
    if not wanted or folded == wanted:
        return 1 if wanted else None
    if wanted[:-1] not in folded or not is_searchable(wanted):
        return None
    ranges = prefix_ranges(wanted)
    if begins_with(folded, ranges):
        return 2
    if _has_word(folded, ranges):
        return 3
    return 4 if wanted in folded else None


def _has_word(folded: str, ranges: Ranges) -> bool:
    words = (folded[place + 1 :] for place, letter in enumerate(folded) if not letter.isalnum())
    return any(begins_with(rest, ranges) for rest in words)
