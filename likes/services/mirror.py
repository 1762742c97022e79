"""The mirror of likes: copy the likes that Redis decides to SQL, within a second.

It copies states with versions, never deltas, so run twice, late, concurrently or interrupted, it never overwrites a
newer state. SQL's counts change by the difference of the states, in the same transaction.
"""

import logging
from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial

from django.db import DatabaseError, transaction
from django.utils.translation import gettext as _

from foundation import clock
from foundation.dead_letters import DeadLetterHandler
from foundation.failpoints import failpoint
from foundation.models import DeadLetter
from foundation.redis import client as redis
from foundation.sync.isolate_failures import write_isolating_failures
from foundation.sync.mirroring import RUN_SECONDS, copy_until_clean, mirror_each
from foundation.sync.redis_state import StaleGeneration
from leaderboards.core.instants import from_milliseconds, milliseconds
from leaderboards.stores.sql.writes import ensure_players
from likes import registry
from likes.core.kinds import Storage
from likes.models import LikeKind
from likes.registry import Likeable
from likes.selectors.lag import MIRROR
from likes.services.kind_lock import lock_kind
from likes.stores.kind_generation import hold_shared
from likes.stores.redis_kind import DirtyLike, RedisKind
from likes.stores.sql_states import StateRow, write_states

logger = logging.getLogger(__name__)

CHUNK = 500  # likes in each call
DEAD_LETTER_KIND = "likes-mirror"
DROPPED = "dropped"


def mirror_all(seconds: float = RUN_SECONDS) -> int:
    """Copy the dirty likes of every kind that Redis decides, for up to ``seconds``; return how many likes."""
    kinds = [likeable for likeable in registry.all_kinds() if likeable.storage is Storage.REDIS]
    return mirror_each(kinds, lambda each: _mirror_chunk(each, current_generation), MIRROR, seconds)


def mirror(likeable: Likeable) -> int:
    """Copy all dirty likes of one kind. Raises ``StaleGeneration`` and Redis errors."""
    return copy_until_clean(partial(_mirror_chunk, likeable, current_generation))


def drain(likeable: Likeable) -> int:
    """As ``mirror``, for a kind that Redis does not decide any more, under the generation that Redis has."""
    redis_kind = RedisKind(likeable, redis.boards())
    if not redis_kind.memory().generation:
        return 0
    return copy_until_clean(partial(_mirror_chunk, likeable, lambda _kind: redis_kind.memory().generation))


def _mirror_chunk(likeable: Likeable, generation_of: Callable[[str], int]) -> tuple[int, int]:
    """Copy one chunk; return how many likes were copied, and how many more were dirty."""
    redis_kind = RedisKind(likeable, redis.boards())
    if not redis_kind.dirty(generation_of(likeable.kind), 1)[0]:
        return 0, 0
    with transaction.atomic():
        hold_shared(likeable.kind)
        lock_kind(likeable)  # keeps out repairs of counts, and other mirrors
        generation = generation_of(likeable.kind)
        total, rows = redis_kind.dirty(generation, CHUNK)
        failpoint("mirror_likes.after_read")
        write_isolating_failures(rows, partial(_write, likeable), partial(_add_dead_letter, likeable.kind))
    failpoint("mirror_likes.after_commit")
    redis_kind.clear_dirty(generation, rows)
    failpoint("mirror_likes.after_clean")
    return len(rows), max(0, total - len(rows))


def current_generation(kind: str) -> int:
    """The generation of a kind, from SQL. Raises ``StaleGeneration`` if Redis lacks the kind's current state."""
    row = LikeKind.objects.filter(kind=kind, storage=Storage.REDIS, generation__gt=0).first()
    if row is None or row.stale_since is not None:
        raise StaleGeneration("Redis does not have these likes yet.")
    return row.generation


def _write(likeable: Likeable, rows: Sequence[DirtyLike]) -> None:
    players = ensure_players((row.player for row in rows), clock.now())
    states = [
        StateRow(row.thing, players[row.player].pk, row.amount, from_milliseconds(row.at_ms), row.version)
        for row in rows
    ]
    totals = write_states(likeable.kind, states)
    if totals:
        likeable.save_totals(totals)
    if DeadLetter.objects.filter(kind=DEAD_LETTER_KIND, resolved_at=None).exists():
        DeadLetter.resolve(
            DEAD_LETTER_KIND, [_subject(likeable.kind, row.thing, row.player) for row in rows], "mirrored", clock.now()
        )
    failpoint("mirror_likes.before_commit")


def _add_dead_letter(kind: str, row: DirtyLike, error: DatabaseError) -> None:
    """Record a like that SQL refuses. Redis still has it, and its next change is mirrored again."""
    logger.error("a like of a %s cannot be mirrored: %s", kind, error)
    payload = {"kind": kind, "thing": row.thing, "player": row.player, "version": row.version, "amount": row.amount}
    DeadLetter.note(DEAD_LETTER_KIND, _subject(kind, row.thing, row.player), payload, str(error), clock.now())


def _subject(kind: str, thing: str, player: str) -> str:
    return f"{kind} {thing} {player}"


def retry(letter: DeadLetter, at: datetime) -> str:
    """Mirror the like of a dead letter again; return why SQL still refuses it, or an empty text.

    Raises as ``mirror`` does.
    """
    likeable = registry.get_kind(letter.payload["kind"])
    redis_kind, generation = RedisKind(likeable, redis.boards()), current_generation(likeable.kind)
    redis_kind.mark_dirty(generation, (letter.payload["thing"], letter.payload["player"]), milliseconds(at))
    mirror(likeable)
    letter.refresh_from_db()
    return "" if letter.resolved_at is not None else letter.reason


def drop(letter: DeadLetter, at: datetime) -> None:
    """Give up: SQL keeps its state of the like until the player changes it again. Redis keeps its own."""
    DeadLetter.resolve(DEAD_LETTER_KIND, [letter.subject], DROPPED, at)


def is_dropped(kind: str, pair: tuple[str, str], version: int) -> bool:
    """Whether an operator gave up mirroring a later state of this like (thing, player) than SQL's ``version``."""
    dropped = DeadLetter.objects.filter(kind=DEAD_LETTER_KIND, subject=_subject(kind, *pair), resolution=DROPPED)
    return dropped.filter(payload__version__gt=version).exists()


def _dropping() -> str:
    return _("SQL keeps what it has of this like, until the player changes it again. Pages show it as Redis has it.")


DEAD_LETTER_WORK = DeadLetterHandler(retry, drop, _dropping)
