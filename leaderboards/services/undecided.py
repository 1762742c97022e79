"""What is left to decide of one period where SQL decides, and the ids that are looked up late.

A request trusts that its ids are new. Once anything is in its way, they are looked up; those that were used before are
decided by that, and the rest starts again.
"""

from collections.abc import Sequence
from datetime import datetime

from foundation.errors import SunwiError
from leaderboards.services.decided import Decided, refused
from leaderboards.services.ids import known
from leaderboards.services.quarantine import claimed
from leaderboards.services.resolve import Item
from leaderboards.services.together import dissolving


class IdUsed(Exception):
    """One of our ids was used before, maybe in this moment: look which."""


class Unasked(Exception):
    """An entry would be refused whose id nobody has looked up."""


class Undecided:
    """The items that are left, how often they were tried, and the decisions on those whose id was used before.

    ``limited``: an id may also have been quarantined meanwhile.
    """

    def __init__(self, items: Sequence[Item], service: str, at: datetime, limited: bool) -> None:
        self.items, self.tries, self.found = list(items), 0, dict[int, Decided]()
        self._service, self._at, self._limited = service, at, limited

    def ask(self) -> bool:
        """Look up the ids that nobody has looked up; whether any was used before."""
        return self._look_up([item for item in self.items if item.unasked])

    def ask_again(self) -> bool:
        """Look up all ids; whether any was used before."""
        return self._look_up(self.items)

    def refused(self, error: SunwiError) -> dict[int, Decided]:
        """All decisions, where what is left is refused."""
        return {item.entry.position: refused(error) for item in self.items} | self.found

    def _look_up(self, items: Sequence[Item]) -> bool:
        asked = [(item.entry, item.period.board) for item in items]
        with dissolving(any(item.in_company for item in items)):  # nothing was kept where something was in the way
            used = known(asked, self._service, self._at)
            if self._limited:
                used |= claimed(asked, self._service)
        self.items = [item._replace(unasked=False) for item in self.items if item.entry.position not in used]
        self.found |= used
        return bool(used)
