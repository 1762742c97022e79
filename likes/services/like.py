"""Liking and taking back: the one door, for the API, the pages and the simulated players.

The order: the kind, the thing, the player's id, whether they are banned, whether they may like it; then they are made
if nobody knew them, and the store decides. Asked for twice it is as asked for once, save of repeatable kinds.
"""

from datetime import datetime

from leaderboards.core.input.entries import read_player
from leaderboards.errors import Banned
from leaderboards.models import Player
from leaderboards.services.players.profiles import ensure_player
from leaderboards.services.submit.decide_redis import banned_players
from likes.core.keys import THING
from likes.core.kinds import Storage
from likes.errors import UnknownThing
from likes.registry import Likeable, get_kind
from likes.selectors.likes import board_for_unlike
from likes.stores.base import LikeSummary
from likes.stores.choose import store_of


def like(kind: str, thing: str, player: str, at: datetime) -> LikeSummary:
    """The player likes the thing; what it looks like for them after it.

    Raises ``UnknownKind``, ``UnknownThing``, ``BadPlayer``, ``Banned``, what the kind's ``admit`` raises,
    ``LikesUnavailable`` (nothing has changed) or ``LikeOutcomeUnknown``.
    """
    found = _liked(kind, thing)
    name = read_player(player)
    known = _refuse_banned(found, name)
    found.admit(thing, name)
    if not known:
        ensure_player(name, at)
    return store_of(found).like(thing, name, at)


def unlike(kind: str, thing: str, player: str, at: datetime) -> LikeSummary:
    """They like it no more, or take one like back. Raises likewise.

    Who may not like it may still take back; what was hidden since is unknown to all who have not liked it.
    """
    name = read_player(player)
    found = get_kind(kind)
    board_for_unlike(kind, thing, name)
    _refuse_banned(found, name)
    return store_of(found).unlike(thing, name, at)


def _liked(kind: str, thing: str) -> Likeable:
    found = get_kind(kind)
    if not THING.fullmatch(thing) or thing not in found.boards([thing]):
        raise UnknownThing("There is nothing of this kind with this id.")
    return found


def _refuse_banned(found: Likeable, player: str) -> bool:
    """Whether nobody has to make the player. Where Redis decides, SQL may be away, and the mirror makes them."""
    if found.storage == Storage.REDIS:
        banned, known = player in banned_players(), True
    else:
        row = Player.objects.filter(external_id=player).values_list("banned_at", flat=True)
        known = bool(row)
        banned = known and row[0] is not None
    if banned:
        raise Banned("This player may not like anything.")
    return known
