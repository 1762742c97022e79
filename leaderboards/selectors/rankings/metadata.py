"""The metadata of ranked players, for callers that ask for it. It is read from SQL, which alone has it.

The trap: SQL is read after Redis, so metadata may be of a standing that Redis shows a moment later.
"""

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from django.db.models import QuerySet

from foundation.db.resilience import ask
from leaderboards.core.periods import event_number
from leaderboards.models import WITHOUT_SUBMISSIONS, FinalStanding, Period, Standing

_is_wanted: ContextVar[bool] = ContextVar("metadata is wanted", default=False)


def is_copy(period: Period) -> bool:
    """Whether the period is a frozen copy of a competition's: it has final standings and no others."""
    return period.board.is_event and event_number(period.label) is None


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

    Boards of Redis and DynamoDB have none. The copy that is shown of a frozen competition has its own.
    """
    if not players or period.board.storage in WITHOUT_SUBMISSIONS:
        return {}
    where = {"period": period, "player__external_id__in": players, "metadata__isnull": False}
    rows: QuerySet[Any]
    if is_copy(period):
        rows = FinalStanding.objects.filter(**where)
    else:
        rows = Standing.objects.filter(score__isnull=False, **where)
    return ask(lambda: {player: text or "" for player, text in rows.values_list("player__external_id", "metadata")})
