"""The values that the submit path hands from step to step: request, target, item."""

from datetime import datetime
from typing import NamedTuple

from leaderboards.core.input.entries import Entry
from leaderboards.core.submissions import Caller
from leaderboards.models import Board, Period
from leaderboards.services.events import Event


class Request(NamedTuple):
    """One call of the pipeline: who submits, when, and how.

    ``is_backfill``: periods are opened however long ago they ended. ``in_batch``: the entries belong to several
    requests, and none may wait for what only another one needs.
    """

    caller: Caller
    at: datetime
    dry_run: bool = False
    is_backfill: bool = False
    in_batch: bool = False


class Target(NamedTuple):
    """An entry and its board; ``event`` is its competition, None on calendar boards."""

    entry: Entry
    board: Board
    event: Event | None = None


class Item(NamedTuple):
    """An entry in its period; ``value`` is scaled, ``at_ms`` rounded as the period's layout stores it.

    ``arrived`` is the monotonic time when its request began to be decided; None: it may take any time (backfill).
    ``id_unchecked``: the entry has an id, and it has not been looked up. ``in_batch``: as in ``Request``.
    """

    entry: Entry
    period: Period
    value: tuple[int, ...]
    at_ms: int
    event: Event | None = None
    arrived: float | None = None
    id_unchecked: bool = False
    in_batch: bool = False


def player_of(item: Item) -> str:
    """The player whom an item is about."""
    return item.entry.player
