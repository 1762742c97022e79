"""What is shown of likes: counts, one's own, and who. What exists, and whose it is to see, their registrant says."""

from collections.abc import Sequence

from foundation.db.resilience import ask
from leaderboards.models import Board
from likes.core.keys import THING
from likes.errors import UnknownThing
from likes.models import Like
from likes.registry import Likeable, get_kind
from likes.stores.base import Likers, LikeSummary
from likes.stores.choose import store_of


def read_like_summaries(kind: str, things: Sequence[str], player: str | None) -> dict[str, LikeSummary]:
    """Each thing as the player (or nobody) sees it, in one round trip; what does not exist is left out.

    Raises ``UnknownKind``, and what the store raises where nothing can be read.
    """
    found = get_kind(kind)
    existing = found.boards([thing for thing in things if THING.fullmatch(thing)])
    wanted = [thing for thing in dict.fromkeys(things) if thing in existing]
    return dict(zip(wanted, store_of(found).read(wanted, player), strict=True))


def likers(kind: str, thing: str, offset: int, limit: int) -> Likers:
    """Who likes the thing, the newest first. Raises ``UnknownKind``, ``UnknownThing``, and as
    ``read_like_summaries``."""
    found = get_kind(kind)
    if not THING.fullmatch(thing) or thing not in found.boards([thing]):
        raise UnknownThing("There is nothing of this kind with this id.")
    return store_of(found).likers(thing, offset, limit)


def board_for_unlike(kind: str, thing: str, player: str) -> Board | None:
    """The board whose readers may see the thing (None: everybody), for the player to take a like of it back.

    A thing that was hidden since is there for who has liked it, also once that was taken back, so that asking twice
    is asking once (of a kind that Redis decides over, as soon as SQL knows of the like). Nobody else learns of it.
    Raises ``UnknownKind``, ``UnknownThing``, and as ``read_like_summaries``.
    """
    found = get_kind(kind)
    wanted = [thing] if THING.fullmatch(thing) else []
    boards = found.boards(wanted)
    if thing not in boards:
        boards = found.withdrawn(wanted)
        if thing not in boards or not _has_liked(found, thing, player):
            raise UnknownThing("There is nothing of this kind with this id.")
    return boards[thing]


def _has_liked(found: Likeable, thing: str, player: str) -> bool:
    """The rows of what was taken back stay for a day or more; Redis may know of a like before SQL does."""
    if store_of(found).read([thing], player)[0].liked:
        return True
    rows = Like.objects.filter(kind=found.kind, thing=thing, player__external_id=player)
    return ask(rows.exists)
