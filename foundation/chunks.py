"""Going through many things some at a time, so that memory and statements stay small."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

Item = TypeVar("Item")


def in_chunks(items: Iterable[Item], size: int) -> Iterator[list[Item]]:
    """The items in their order, ``size`` (at least 1) at a time; the last list may be shorter, none is empty."""
    rest = iter(items)
    while chunk := list(islice(rest, size)):
        yield chunk
