"""Who can read the reason of an undo. Each app registers it for its actions.

The trap: most reasons stay among staff, but some are sent to the player word for word.
"""

from django.utils.functional import Promise
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _lazy

from foundation.audit.models import AuditEntry
from leaderboards.admin.confirm.preview_page import REASON_FOR_STAFF
from leaderboards.admin.scores.submission_admin import REASON_FOR_EVERYBODY
from leaderboards.services.moderation import purge, review_quarantine

REASON_FOR_THE_PLAYER = format_lazy(
    "{} {}", _lazy("The player is told, in the words of your reason."), REASON_FOR_EVERYBODY
)
REASON_FOR_COMPETITORS = format_lazy(
    "{} {} {}",
    _lazy("Players whose scores in competitions it changes are told, in the words of your reason."),
    REASON_FOR_EVERYBODY,
    _lazy("Where no score of a competition changes, only those who run the site read it."),
)

_readers: dict[str, Promise] = {}


def register_reason_readers(act: str, readers: Promise) -> None:
    """Register who can read the reason of undoing this action; a later registration replaces an earlier one."""
    _readers[act] = readers


def reason_readers(entry: AuditEntry) -> str:
    """Describe who can read the reason of undoing the entry: only staff, unless an app registered others."""
    return str(_readers.get(entry.act, REASON_FOR_STAFF))


register_reason_readers(purge.PURGED, REASON_FOR_COMPETITORS)
register_reason_readers(review_quarantine.ACCEPTED, REASON_FOR_COMPETITORS)
