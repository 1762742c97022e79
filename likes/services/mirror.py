"""The mirror of kinds that Redis decides over: SQL follows within a second (``foundation/sync/mirroring.py``).

The counts in SQL move by the difference of the states, in the transaction that is its proof.
"""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _

from foundation import clock, redis
from foundation.dead_letters import Work
from foundation.models import DeadLetter
from foundation.sync.memory import Stale
from foundation.sync.mirroring import RUN_SECONDS, Copied, Mirror, mirror_each
from leaderboards.core.instants import from_milliseconds, milliseconds
from leaderboards.stores.sql_writes import ensure_players
from likes import registry
from likes.core.kinds import Storage
from likes.models import LikeKind
from likes.registry import Likeable
from likes.selectors.lag import MIRROR
from likes.services.hold import hold
from likes.stores.kinds import hold_shared
from likes.stores.redis_settling import DirtyLike, RedisSettler
from likes.stores.sql_states import StateRow, write_states

DEAD = "likes-mirror"


def present_generation(kind: str) -> int:
    """The generation of a kind that Redis has as it is, by SQL. Raises ``Stale``."""
    row = LikeKind.objects.filter(kind=kind, storage=Storage.REDIS, generation__gt=0).first()
    if row is None or row.stale_since is not None:
        raise Stale("Redis does not have these likes yet.")
    return row.generation


class KindMirror(Mirror[DirtyLike]):
    """Copying the likes of one kind, under the generation that ``generation_of`` tells."""

    name = "mirror_likes"
    dead = DEAD
    chunk = 500

    def __init__(self, likeable: Likeable, generation_of: Callable[[str], int] = present_generation) -> None:
        self._likeable = likeable
        self._generation_of = generation_of
        self._generation = generation_of(likeable.kind)
        self._settler = RedisSettler(likeable, redis.boards())

    def dirty(self, limit: int) -> tuple[int, Sequence[DirtyLike]]:
        """How many likes SQL lacks, and some of them."""
        return self._settler.dirty(self._generation, limit)

    def hold(self) -> bool:
        """Keep out whoever settles, and whoever counts or mirrors the kind."""
        hold_shared(self._likeable.kind)
        hold(self._likeable)
        self._generation = self._generation_of(self._likeable.kind)
        return True

    def write(self, rows: Sequence[DirtyLike]) -> None:
        """Write those that are newer, and tell whoever registered the kind its new counts."""
        players = ensure_players((row.player for row in rows), clock.now())
        totals = write_states(self._likeable.kind, [_state_row(players[row.player].pk, row) for row in rows])
        if totals:
            self._likeable.counted(totals)

    def clean(self, rows: Sequence[DirtyLike]) -> None:
        """Take off the marks that still say what was copied."""
        self._settler.clean(self._generation, rows)

    def subject(self, row: DirtyLike) -> str:
        """Kind, thing and player."""
        return _subject(self._likeable.kind, row.thing, row.player)

    def payload(self, row: DirtyLike) -> dict[str, Any]:
        """The like."""
        like = {"thing": row.thing, "player": row.player, "version": row.version, "amount": row.amount}
        return {"kind": self._likeable.kind, **like}


def mirror_all(seconds: float = RUN_SECONDS) -> int:
    """Copy what is dirty of every kind that Redis decides over, for so many seconds; returns how many likes it was."""
    kinds = [likeable for likeable in registry.every() if likeable.storage is Storage.REDIS]
    return mirror_each(kinds, _copy_chunk, MIRROR, seconds)


def mirror(likeable: Likeable) -> int:
    """Copy everything of one kind that is dirty by now. Raises ``Stale``, and what the link raises."""
    return KindMirror(likeable).copy_all()


def drain(likeable: Likeable) -> int:
    """The same of a kind that Redis decides over no more, and so settles no more. Raises what the link raises."""
    settler = RedisSettler(likeable, redis.boards())
    if not settler.memory().generation:
        return 0
    return KindMirror(likeable, lambda _kind: settler.memory().generation).copy_all()


def retry(letter: DeadLetter, at: datetime) -> str:
    """Try to mirror again what was set aside; why SQL still refuses it, or nothing. Raises as ``mirror`` does."""
    likeable = registry.likeable(letter.payload["kind"])
    settler, generation = RedisSettler(likeable, redis.boards()), present_generation(likeable.kind)
    settler.soil(generation, (letter.payload["thing"], letter.payload["player"]), milliseconds(at))
    mirror(likeable)
    letter.refresh_from_db()
    return "" if letter.resolved_at is not None else letter.reason


def is_given_up(kind: str, pair: tuple[str, str], version: int) -> bool:
    """Whether somebody has given up a later state of a like (thing, player) than SQL has, which is of ``version``."""
    return KindMirror.is_given_up(_subject(kind, *pair), version)


def _dropping() -> str:
    return _("SQL keeps what it has of this like, until the player changes it again. Pages show it as Redis has it.")


DEAD_WORK = Work(retry, KindMirror.drop, _dropping)


def _copy_chunk(likeable: Likeable) -> Copied:
    return KindMirror(likeable).copy_chunk()


def _subject(kind: str, thing: str, player: str) -> str:
    return f"{kind} {thing} {player}"


def _state_row(player_id: int, row: DirtyLike) -> StateRow:
    return StateRow(row.thing, player_id, row.amount, from_milliseconds(row.at_ms), row.version)
