"""The sums of processes that ended, one file of each kind, which says itself which files are in it.

One rename replaces the numbers and, behind them, the names of the files that were added last. So whoever has read a
file that is in the sum already leaves it out, whether it is removed by then or not, and nobody needs a lock to read.
The place of a series is when it was last added to: of too many in a family, the first ones go.
"""

import json
from collections.abc import Iterator, Set
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from foundation.monitoring.count_files import read_whole, to_key, write_whole
from foundation.monitoring.families import BOUND

SUMS = "ended"  # the subfolder
KINDS = ("counter", "histogram")  # gauges tell of a process, and go with it
KEPT_NAMES = 1_000
MOST_SERIES = 2_400  # of a family: as many as one process tells at most

Series = tuple[str, tuple[tuple[str, str], ...]]  # a family and its labels


class Sum(NamedTuple):
    """Numbers by their key's text; how many files were ever added; the names of the last ones."""

    numbers: dict[str, float]
    added: int = 0
    names: tuple[str, ...] = ()


def file_of(folder: Path, kind: str) -> Path:
    """Where the sum of a kind is."""
    return folder / SUMS / f"{kind}_ended.db"


def read_sum(file: Path) -> Sum:
    """The sum; an empty one where there is none. Raises ``ValueError`` if the file is none, and ``OSError``."""
    try:
        numbers, behind = read_whole(file)
    except FileNotFoundError:
        return Sum({})
    match json.loads(behind or '{"added": 0, "names": []}'):  # releases before named none
        case {"added": int(added), "names": [*names]}:
            return Sum(numbers, added, tuple(map(str, names)))
    raise ValueError("it does not say which files are in it")


def write_sum(file: Path, new: Sum) -> None:
    """Replace the sum in one step. Raises ``OSError``: then the old one is as it was."""
    file.parent.mkdir(mode=0o700, exist_ok=True)
    unready = file.with_suffix(".new")
    try:
        write_whole(unready, new.numbers, json.dumps({"added": new.added, "names": new.names}).encode())
        unready.replace(file)
    except OSError:
        unready.unlink(missing_ok=True)
        raise


def plus(old: Sum, gone: dict[str, dict[str, float]]) -> Sum:
    """The sum with the numbers of these files, by the files' names, added."""
    numbers = dict(old.numbers)
    for each in gone.values():
        for key, value in each.items():
            numbers[key] = numbers.pop(key, 0.0) + value
    return Sum(numbers, old.added + len(gone), (*old.names, *gone)[-max(KEPT_NAMES, len(gone)) :])


def has_too_many(numbers: dict[str, float]) -> bool:
    """Whether a family has more than ``MOST_SERIES``."""
    return any(count > MOST_SERIES for count in _counts(set(map(series_of, numbers))).values())


def without_oldest(numbers: dict[str, float], used: Set[Series]) -> dict[str, float]:
    """The newest ``MOST_SERIES`` of each family, and those ``used`` by a process that runs: they would fall."""
    found = dict.fromkeys(map(series_of, numbers))
    spare = {family: count - MOST_SERIES for family, count in _counts(found).items()}
    dropped = set[Series]()
    for series in found:
        if spare[series[0]] > 0 and series not in used:
            spare[series[0]] -= 1
            dropped.add(series)
    return {text: value for text, value in numbers.items() if series_of(text) not in dropped}


def series_of(text: str) -> Series:
    """What a key's number belongs to: a histogram's buckets belong together."""
    key = to_key(text)
    return key.family, tuple(label for label in key.labels if label[0] != BOUND)


@contextmanager
def moving(file: Path) -> Iterator[None]:
    """Within, counts are in no file: a mark keeps others from reading. Raises ``OSError``."""
    mark = file.with_suffix(".moving")
    mark.touch()
    try:
        yield
    finally:
        mark.unlink(missing_ok=True)


def are_moving(folder: Path) -> bool:
    """Whether some process is within ``moving``, or was killed there."""
    return any((folder / SUMS).glob("*.moving"))


def forget_moving(folder: Path) -> None:
    """Take marks away that killed processes have left; for who alone may move counts."""
    for mark in (folder / SUMS).glob("*.moving"):
        mark.unlink(missing_ok=True)


def _counts(found: "Set[Series] | dict[Series, None]") -> dict[str, int]:
    counts = dict[str, int]()
    for family, _ in found:
        counts[family] = counts.get(family, 0) + 1
    return counts
