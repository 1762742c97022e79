"""Who reads the reason that is given for undoing an entry of the audit log: each app says it of its acts.

The trap: most undos stay among staff, but some tell the player, in the words that were typed there.
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
    """Have ``readers`` say who reads why an entry of this act is undone; the latest word about an act counts."""
    _readers[act] = readers


def reason_readers(entry: AuditEntry) -> str:
    """Who reads why it is undone: staff alone, unless an app says otherwise."""
    return str(_readers.get(entry.act, REASON_FOR_STAFF))


register_reason_readers(purge.PURGED, REASON_FOR_COMPETITORS)
register_reason_readers(review_quarantine.ACCEPTED, REASON_FOR_COMPETITORS)
