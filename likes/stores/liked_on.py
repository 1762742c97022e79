"""What was liked most on a day: a sorted set for each kind and UTC day, with a like given counted on its day.

Best effort beside the likes themselves: a ranking that is missing is made from SQL, and none is made from a part.
"""

from collections.abc import Mapping
from datetime import date

from foundation.redis import Argument, Link
from likes.core.keys import LikedKeys
from likes.stores.lua import script

KEPT_SECONDS = 8 * 86_400
LEASE_MS = 10_000


class LikedOn:
    """The ranking of one kind on one day. Every call raises what the link raises."""

    def __init__(self, link: Link, kind: str, day: date) -> None:
        self._link = link
        self._keys = LikedKeys(kind, day)

    def note(self, thing: str, change: int) -> bool:
        """Count likes given, or taken back; False where there is no ranking, and so nothing to keep right."""
        return bool(self._link.run(script("note_liked"), [self._keys.ranking], [thing, change]))

    def top(self, limit: int) -> list[tuple[str, int]] | None:
        """The things with the most likes; of equals the one whose id is greater in bytes. None without a ranking."""
        cells = self._link.call("ZRANGE", self._keys.ranking, 0, limit, "REV", "WITHSCORES")
        if not cells:
            return None
        # Pairs from a server that speaks RESP3, else one after the other.
        pairs = cells if isinstance(cells[0], list) else zip(cells[::2], cells[1::2], strict=True)
        return [(thing.decode(), int(float(likes))) for thing, likes in pairs if thing][:limit]

    def lease(self, token: str) -> bool:
        """Whether it is for the caller to make the ranking from SQL."""
        return bool(self._link.call("SET", self._keys.load, token, "NX", "PX", LEASE_MS))

    def install(self, likes: Mapping[str, int], lease: str = "") -> bool:
        """Put a whole ranking where none is. Without a lease only for a day to come: nothing is all of it."""
        args: list[Argument] = [lease, self._link.deadline_ms(), KEPT_SECONDS]
        for thing, count in likes.items():
            args += (thing, count)
        return bool(self._link.run(script("install_liked"), [self._keys.ranking, self._keys.load], args))

    def drop(self) -> None:
        """It is not known to be right any more: the next who reads makes it anew."""
        self._link.call("UNLINK", self._keys.ranking)
