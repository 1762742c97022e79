"""Liking a thing and taking a like back, for the API, the pages and the simulated players.

Checks in order: the kind, the thing, the player's id, a ban, the kind's ``admit``; then an unknown player is created,
and the store decides. A repeated request changes nothing, except for repeatable kinds.
"""

from datetime import datetime

from foundation.messages import Message
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
    """Give a like; return the thing's likes after it.

    Raises ``UnknownKind``, ``UnknownThing``, ``BadPlayer``, ``Banned``, the errors of the kind's ``admit``,
    ``LikesUnavailable`` (nothing has changed) or ``LikeOutcomeUnknown``.
    """
    likeable = _find_thing(kind, thing)
    name = read_player(player)
    is_known = _refuse_banned(likeable, name)
    likeable.admit(thing, name)
    if not is_known:
        ensure_player(name, at)
    return store_of(likeable).like(thing, name, at)


def unlike(kind: str, thing: str, player: str, at: datetime) -> LikeSummary:
    """Take a like back. Raises as ``like`` does.

    ``admit`` is not checked. A withdrawn thing is unknown to players who have not liked it.
    """
    name = read_player(player)
    likeable = get_kind(kind)
    board_for_unlike(kind, thing, name)
    _refuse_banned(likeable, name)
    return store_of(likeable).unlike(thing, name, at)


def _find_thing(kind: str, thing: str) -> Likeable:
    likeable = get_kind(kind)
    if not THING.fullmatch(thing) or thing not in likeable.boards([thing]):
        raise UnknownThing(Message("There is nothing of this kind with this id."))
    return likeable


def _refuse_banned(likeable: Likeable, player: str) -> bool:
    """Raise ``Banned``; return False if the player must be created.

    True for kinds that Redis decides: SQL may be unavailable, and the mirror creates players.
    """
    if likeable.storage == Storage.REDIS:
        is_banned, is_known = player in banned_players(), True
    else:
        row = Player.objects.filter(external_id=player).values_list("banned_at", flat=True)
        is_known = bool(row)
        is_banned = is_known and row[0] is not None
    if is_banned:
        raise Banned(Message("This player may not like anything."))
    return is_known
