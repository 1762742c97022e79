"""The items of one period that are not decided yet, where SQL decides, and looking up their ids late.

A request assumes that its ids are new. If anything gets in its way they are looked up: entries with a used id are
decided by that, and the rest starts again.
"""

from collections.abc import Sequence
from datetime import datetime

from foundation.errors import SunwiError
from leaderboards.services.submit.duplicates import find_duplicates
from leaderboards.services.submit.group_commit import abort_batch_on_error
from leaderboards.services.submit.items import Item
from leaderboards.services.submit.outcomes import EntryDecision, refused
from leaderboards.services.submit.quarantine import find_quarantined


class IdAlreadyUsed(Exception):
    """One of the ids was used before, perhaps by a transaction that has just committed: look up which."""


class IdUnchecked(Exception):
    """An entry would be refused, and its id has not been looked up."""


class PendingItems:
    """The items that are not decided yet, the number of tries, and the decisions on entries whose id was used before.

    ``may_quarantine``: an id may also have been quarantined meanwhile.
    """

    def __init__(self, items: Sequence[Item], service: str, at: datetime, may_quarantine: bool) -> None:
        self.items, self.tries, self.duplicates = list(items), 0, dict[int, EntryDecision]()
        self._service, self._at, self._may_quarantine = service, at, may_quarantine

    def check_new_ids(self) -> bool:
        """Look up the ids that have not been looked up; whether any was used before."""
        return self._look_up([item for item in self.items if item.id_unchecked])

    def check_all_ids(self) -> bool:
        """Look up all ids; whether any was used before."""
        return self._look_up(self.items)

    def refuse_all(self, error: SunwiError) -> dict[int, EntryDecision]:
        """All decisions; pending items are refused."""
        return {item.entry.position: refused(error) for item in self.items} | self.duplicates

    def _look_up(self, items: Sequence[Item]) -> bool:
        targeted = [(item.entry, item.period.board) for item in items]
        with abort_batch_on_error(any(item.in_batch for item in items)):  # the failed try has left nothing in SQL
            used = find_duplicates(targeted, self._service, self._at)
            if self._may_quarantine:
                used |= find_quarantined(targeted, self._service)
        self.items = [item._replace(id_unchecked=False) for item in self.items if item.entry.position not in used]
        self.duplicates |= used
        return bool(used)
