"""Splitting an iterable into chunks, so that memory use and SQL statements stay small."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

Item = TypeVar("Item")


def in_chunks(items: Iterable[Item], size: int) -> Iterator[list[Item]]:
    """Yield lists of ``size`` (at least 1) items in order; the last may be shorter, none is empty."""
    rest = iter(items)
    while chunk := list(islice(rest, size)):
        yield chunk
