"""Reading likes: counts, a player's own likes, and who likes a thing. The kind's app says what exists and who may see
it."""

from collections.abc import Sequence

from foundation.db.resilience import ask
from foundation.messages import Message
from leaderboards.models import Board
from likes.core.keys import THING
from likes.errors import UnknownThing
from likes.models import Like
from likes.registry import Likeable, get_kind
from likes.stores.base import Likers, LikeSummary
from likes.stores.choose import store_of


def read_like_summaries(kind: str, things: Sequence[str], player: str | None) -> dict[str, LikeSummary]:
    """The likes of each thing with those of ``player`` (None: nobody), in one round trip; unknown things are left out.

    Raises ``UnknownKind``, and the store's error if nothing can be read.
    """
    likeable = get_kind(kind)
    boards = likeable.boards([thing for thing in things if THING.fullmatch(thing)])
    existing = [thing for thing in dict.fromkeys(things) if thing in boards]
    return dict(zip(existing, store_of(likeable).read(existing, player), strict=True))


def likers(kind: str, thing: str, offset: int, limit: int) -> Likers:
    """Who likes the thing, the newest first.

    Raises ``UnknownKind``, ``UnknownThing``, and the store's error if nothing can be read.
    """
    likeable = get_kind(kind)
    if not THING.fullmatch(thing) or thing not in likeable.boards([thing]):
        raise UnknownThing(Message("There is nothing of this kind with this id."))
    return store_of(likeable).likers(thing, offset, limit)


def board_for_unlike(kind: str, thing: str, player: str) -> Board | None:
    """The board whose readers may see the thing (None: everybody), when the player takes a like of it back.

    A withdrawn thing exists only for players who have liked it, even after they took that back, so that the request
    can be repeated (for a kind that Redis decides, once SQL knows the like). For others it is unknown.
    Raises ``UnknownKind``, ``UnknownThing``, and the store's error if nothing can be read.
    """
    likeable = get_kind(kind)
    ids = [thing] if THING.fullmatch(thing) else []
    boards = likeable.boards(ids)
    if thing not in boards:
        boards = likeable.withdrawn(ids)
        if thing not in boards or not _has_liked(likeable, thing, player):
            raise UnknownThing(Message("There is nothing of this kind with this id."))
    return boards[thing]


def _has_liked(likeable: Likeable, thing: str, player: str) -> bool:
    """Whether the player likes the thing or did: rows of likes taken back stay for at least a day.

    The store is read first, because Redis may know a like before SQL does.
    """
    if store_of(likeable).read([thing], player)[0].liked:
        return True
    rows = Like.objects.filter(kind=likeable.kind, thing=thing, player__external_id=player)
    return ask(rows.exists)
