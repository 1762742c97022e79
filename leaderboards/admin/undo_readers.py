"""Who reads the reason that is given for undoing an entry of the audit log: each app says it of its acts.

The trap: most undos stay among staff, but some tell the player, in the words that were typed there.
"""

from django.utils.functional import Promise
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _lazy

from foundation.audit.models import AuditEntry
from leaderboards.admin.foreseen_page import READ_BY_STAFF
from leaderboards.admin.scores import READ_BY_ALL
from leaderboards.services import judge_quarantine, purge

READ_BY_THE_PLAYER = format_lazy("{} {}", _lazy("The player is told, in the words of your reason."), READ_BY_ALL)
READ_IN_COMPETITIONS = format_lazy(
    "{} {} {}",
    _lazy("Players whose scores in competitions it changes are told, in the words of your reason."),
    READ_BY_ALL,
    _lazy("Where no score of a competition changes, only those who run the site read it."),
)

_readers: dict[str, Promise] = {}


def register_readers(act: str, readers: Promise) -> None:
    """Have ``readers`` say who reads why an entry of this act is undone; the latest word about an act counts."""
    _readers[act] = readers


def readers_of(entry: AuditEntry) -> str:
    """Who reads why it is undone: staff alone, unless an app says otherwise."""
    return str(_readers.get(entry.act, READ_BY_STAFF))


register_readers(purge.PURGED, READ_IN_COMPETITIONS)
register_readers(judge_quarantine.ACCEPTED, READ_IN_COMPETITIONS)
