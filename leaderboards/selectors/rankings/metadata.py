"""The metadata of ranked players, for callers that ask for it. It is read from SQL, which alone has it.

The trap: SQL is read after Redis, so metadata may be of a standing that Redis shows a moment later.
"""

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from foundation.db.resilience import ask
from leaderboards.models import Period, Standing, Storage

_is_wanted: ContextVar[bool] = ContextVar("metadata is wanted", default=False)


@contextmanager
def reading_metadata(wanted: bool) -> Iterator[None]:
    """If ``wanted``, rows that are read meanwhile have their metadata; reading them may raise ``SqlAway``."""
    token = _is_wanted.set(wanted)
    try:
        yield
    finally:
        _is_wanted.reset(token)


def is_metadata_wanted() -> bool:
    """Return whether rows are read with their metadata."""
    return _is_wanted.get()


def metadata_of(period: Period, players: Collection[str]) -> dict[str, str]:
    """Return the metadata, as JSON text, of those of these players (ids) whose standing has any. Raises ``SqlAway``.

    Boards of Redis have none, nor has the copy that is shown of a frozen competition.
    """
    if not players or period.board.storage == Storage.REDIS:
        return {}
    rows = Standing.objects.filter(
        period=period, player__external_id__in=players, score__isnull=False, metadata__isnull=False
    )
    return ask(lambda: {player: text or "" for player, text in rows.values_list("player__external_id", "metadata")})
