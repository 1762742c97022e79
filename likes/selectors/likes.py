"""What is shown of likes: counts, one's own, and who. What exists, and whose it is to see, their registrant says."""

from collections.abc import Sequence

from likes.core.keys import THING
from likes.errors import UnknownThing
from likes.registry import likeable
from likes.stores.base import Likers, Shown
from likes.stores.choose import store_of


def shown(kind: str, things: Sequence[str], player: str | None) -> dict[str, Shown]:
    """Each thing as the player (or nobody) sees it, in one round trip; what does not exist is left out.

    Raises ``UnknownKind``, and what the store raises where nothing can be read.
    """
    found = likeable(kind)
    existing = found.boards([thing for thing in things if THING.fullmatch(thing)])
    wanted = [thing for thing in dict.fromkeys(things) if thing in existing]
    return dict(zip(wanted, store_of(found).read(wanted, player), strict=True))


def likers(kind: str, thing: str, offset: int, limit: int) -> Likers:
    """Who likes the thing, the newest first. Raises ``UnknownKind``, ``UnknownThing``, and as ``shown``."""
    found = likeable(kind)
    if not THING.fullmatch(thing) or thing not in found.boards([thing]):
        raise UnknownThing("There is nothing of this kind with this id.")
    return store_of(found).likers(thing, offset, limit)
