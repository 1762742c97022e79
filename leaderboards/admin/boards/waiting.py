"""Work that waits on a board, for its page: quarantined scores, standings that differ, and what apps above add.

Counts stop at ``MOST``. Each is only for those who may see its rows, and leads to the list of just these.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext as _

from leaderboards.admin.base.permissions import may_see
from leaderboards.models import IN_REDIS, Board, Difference, QuarantinedEntry
from leaderboards.selectors.monitoring.lag import unrepaired

MOST = 1000


@dataclass(frozen=True, slots=True)
class Waiting:
    """How many rows of one kind wait, and the address of their list."""

    what: str
    count: int
    address: str


Count = Callable[[HttpRequest, Board], Waiting | None]


@dataclass(slots=True)
class _Registered:
    counts: list[Count] = field(default_factory=list)


_registered = _Registered()


def register_waiting(count: Count) -> None:
    """Add the count of an app above; it returns None where it does not apply. Twice the same is one."""
    if count not in _registered.counts:
        _registered.counts.append(count)


def waiting_on(request: HttpRequest, board: Board) -> list[Waiting]:
    """Return what waits on a board, of the kinds that this user may see; also those of which nothing waits."""
    counted = (count(request, board) for count in (_quarantined, *_registered.counts, _differing))
    return [each for each in counted if each is not None]


def _quarantined(request: HttpRequest, board: Board) -> Waiting | None:
    if not may_see(request, QuarantinedEntry):
        return None
    rows = QuarantinedEntry.objects.filter(board=board, decision="").order_by()
    address = f"{reverse('admin:leaderboards_quarantinedentry_changelist')}?board__seq__exact={board.pk}"
    return Waiting(_("Quarantined scores"), rows[:MOST].count(), address)


def _differing(request: HttpRequest, board: Board) -> Waiting | None:
    if board.storage not in IN_REDIS or not may_see(request, Difference):
        return None
    rows = unrepaired().filter(period__board=board).order_by()
    query = f"?repaired__exact=0&period__board__seq__exact={board.pk}"
    address = reverse("admin:leaderboards_difference_changelist") + query
    return Waiting(_("Standings that Redis and SQL have differently"), rows[:MOST].count(), address)
