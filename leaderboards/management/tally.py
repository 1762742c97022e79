"""What an import of scores counts, row by row, and how it tells of it."""

from collections import Counter

from leaderboards.core.submissions import Outcome, Status
from leaderboards.services.imports.scores import AWAY
from leaderboards.services.periods.close import Closed


class Tally:
    """Counts of the rows so far, by status and by code of rejection.

    ``is_batch_open`` says that rows are being submitted which are not counted yet; ``is_whole`` that no row is left.
    """

    def __init__(self) -> None:
        self.rows = 0
        self.is_batch_open = self.is_whole = False
        self.closed: list[Closed] = []
        self.labels: set[str] = set()
        self._statuses: Counter[Status] = Counter()
        self._codes: Counter[str] = Counter()
        self._first: dict[str, str] = {}

    def add(self, outcome: Outcome) -> None:
        """Count one row."""
        self.rows += 1
        self._statuses[outcome.status] += 1
        if outcome.period is not None:
            self.labels.add(outcome.period)
        if outcome.code is not None:
            self._codes[outcome.code] += 1
            self._first.setdefault(outcome.code, f"row {outcome.position}: {outcome.detail}")

    @property
    def refused(self) -> int:
        """How many rows do not count."""
        return sum(number for status, number in self._statuses.items() if not status.is_accepted)

    @property
    def is_all_duplicate(self) -> bool:
        """Whether there are rows, and each had counted before."""
        return 0 < self.rows == self._statuses[Status.DUPLICATE]

    def of_unknown_outcome(self) -> int:
        """Return how many rows were not decided: a server did not answer."""
        return sum(self._codes[code] for code in AWAY)

    def lines(self) -> list[str]:
        """Return the counts as lines of ``name: value``."""
        counts = self._statuses
        accepted = sum(number for status, number in counts.items() if status.is_accepted)
        by_status = ", ".join(f"{counts[status]} {status}" for status in Status if status.is_accepted)
        lines = [f"rows: {self.rows}", f"accepted: {accepted} ({by_status})", f"rejected: {self.rows - accepted}"]
        lines += [f"  {code}: {number}, first in {self._first[code]}" for code, number in self._codes.most_common()]
        final = sum(closed.final for closed in self.closed)
        lines.append(f"periods: {len(self.labels)} ({final} closed)" if self.closed else f"periods: {len(self.labels)}")
        return lines + [f"  {each.label} waits: {each.detail}" for each in self.closed if not each.final]
