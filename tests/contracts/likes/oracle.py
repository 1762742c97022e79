"""Likes in memory: what every store of them is compared with."""

from datetime import datetime

from likes.stores.base import Liker


class OracleLikes:
    """Who likes what, of one kind."""

    def __init__(self, repeatable: bool) -> None:
        self._repeatable = repeatable
        self._rows: dict[tuple[str, str], tuple[int, datetime]] = {}

    def like(self, thing: str, player: str, at: datetime) -> tuple[int, int]:
        amount, _ = self._rows.get((thing, player), (0, at))
        if self._repeatable or not amount:
            self._rows[thing, player] = (amount + 1, at)
        return self.shown(thing, player)

    def unlike(self, thing: str, player: str) -> tuple[int, int]:
        amount, since = self._rows.pop((thing, player), (0, None))
        if amount > 1 and since:
            self._rows[thing, player] = (amount - 1, since)
        return self.shown(thing, player)

    def shown(self, thing: str, player: str | None) -> tuple[int, int]:
        count = sum(amount for (liked, _), (amount, _) in self._rows.items() if liked == thing)
        return count, self._rows.get((thing, player or ""), (0, None))[0]

    def likers(self, thing: str) -> list[Liker]:
        """The newest first; of the same moment the greater id."""
        rows = [Liker(player, amount, at) for (liked, player), (amount, at) in self._rows.items() if liked == thing]
        return sorted(rows, key=lambda row: (row.at, row.player.encode()), reverse=True)
