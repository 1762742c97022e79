"""What is left to decide of one period where SQL decides, and the ids that are looked up late.

A request trusts that its ids are new. Once anything is in its way, they are looked up; those that were used before are
decided by that, and the rest starts again.
"""

from collections.abc import Sequence
from datetime import datetime

from foundation.errors import SunwiError
from leaderboards.services.submit.decision import EntryDecision, refused
from leaderboards.services.submit.duplicates import find_duplicates
from leaderboards.services.submit.group_commit import abort_batch_on_error
from leaderboards.services.submit.items import Item
from leaderboards.services.submit.quarantine import find_quarantined


class IdAlreadyUsed(Exception):
    """One of our ids was used before, maybe in this moment: look which."""


class IdUnchecked(Exception):
    """An entry would be refused whose id nobody has looked up."""


class PendingItems:
    """The items that are left, how often they were tried, and the decisions on those whose id was used before.

    ``limited``: an id may also have been quarantined meanwhile.
    """

    def __init__(self, items: Sequence[Item], service: str, at: datetime, limited: bool) -> None:
        self.items, self.tries, self.found = list(items), 0, dict[int, EntryDecision]()
        self._service, self._at, self._limited = service, at, limited

    def check_new_ids(self) -> bool:
        """Look up the ids that nobody has looked up; whether any was used before."""
        return self._look_up([item for item in self.items if item.id_unchecked])

    def check_all_ids(self) -> bool:
        """Look up all ids; whether any was used before."""
        return self._look_up(self.items)

    def refused(self, error: SunwiError) -> dict[int, EntryDecision]:
        """All decisions, where what is left is refused."""
        return {item.entry.position: refused(error) for item in self.items} | self.found

    def _look_up(self, items: Sequence[Item]) -> bool:
        asked = [(item.entry, item.period.board) for item in items]
        with abort_batch_on_error(
            any(item.in_batch for item in items)
        ):  # nothing was kept where something was in the way
            used = find_duplicates(asked, self._service, self._at)
            if self._limited:
                used |= find_quarantined(asked, self._service)
        self.items = [item._replace(id_unchecked=False) for item in self.items if item.entry.position not in used]
        self.found |= used
        return bool(used)
