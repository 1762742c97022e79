"""Write calendar files (RFC 5545) of moments, such as the start of a competition; programs add and update them by UID.

Times are UTC, so no time zone has to be described. Lines end with CRLF and have at most 75 bytes; a longer one goes on
after a space, never within a character.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

from foundation.audit.models import AuditSubject

CONTENT_TYPE = "text/calendar; charset=utf-8"
LONGEST_LINE = 75  # bytes
_SEQUENCE_BEGINS = datetime(2020, 1, 1, tzinfo=UTC)
_ESCAPES = str.maketrans({"\\": "\\\\", ";": "\\;", ",": "\\,", "\n": "\\n", "\r": None})


@dataclass(frozen=True, slots=True)
class CalendarMoment:
    """One entry. ``uid`` never changes; ``changed_at`` is when anything of it changed last; all times are aware."""

    uid: str
    at: datetime
    summary: str
    description: str
    url: str
    changed_at: datetime
    is_cancelled: bool = False

    @property
    def sequence(self) -> int:
        """The number of its revision, in seconds: a later change has a greater one."""
        return max(0, int((self.changed_at - _SEQUENCE_BEGINS).total_seconds()))


def calendar_file(name: str, moments: Iterable[CalendarMoment]) -> bytes:
    """Return the file of a calendar called ``name``."""
    lines = [
        "BEGIN:VCALENDAR",
        "VERSION:2.0",
        "PRODID:-//Sunwi//Calendar//EN",
        "CALSCALE:GREGORIAN",
        "METHOD:PUBLISH",
        f"NAME:{_text(name)}",
        f"X-WR-CALNAME:{_text(name)}",
        "REFRESH-INTERVAL;VALUE=DURATION:PT1H",
        *(line for moment in moments for line in _entry(moment)),
        "END:VCALENDAR",
    ]
    return b"".join(_folded(line) for line in lines)


def last_change_of(kind: str, key: object, otherwise: datetime) -> datetime:
    """Return the time of the last entry of the audit log about a subject, at least ``otherwise``."""
    entries = AuditSubject.objects.filter(kind=kind, key=str(key)).order_by("-entry_id")
    return max(entries.values_list("entry__at", flat=True).first() or otherwise, otherwise)


def _entry(moment: CalendarMoment) -> Iterator[str]:
    yield "BEGIN:VEVENT"
    yield f"UID:{_text(moment.uid)}"
    yield f"DTSTAMP:{_utc(moment.changed_at)}"
    yield f"LAST-MODIFIED:{_utc(moment.changed_at)}"
    yield f"SEQUENCE:{moment.sequence}"
    yield f"DTSTART:{_utc(moment.at)}"
    yield f"SUMMARY:{_text(moment.summary)}"
    yield f"DESCRIPTION:{_text(moment.description)}"
    yield f"URL:{moment.url}"
    yield f"STATUS:{'CANCELLED' if moment.is_cancelled else 'CONFIRMED'}"
    yield "TRANSP:TRANSPARENT"
    yield "END:VEVENT"


def _utc(at: datetime) -> str:
    return f"{at.astimezone(UTC):%Y%m%dT%H%M%SZ}"


def _text(value: str) -> str:
    """Escape a text. Control characters, which no calendar may hold, are left out."""
    return "".join(each for each in value if each >= " " or each in "\t\n").translate(_ESCAPES)


def _folded(line: str) -> bytes:
    pieces, piece = [], b""
    for character in line:
        encoded = character.encode(errors="replace")
        if len(piece) + len(encoded) > LONGEST_LINE:
            pieces.append(piece)
            piece = b" "
        piece += encoded
    return b"\r\n".join([*pieces, piece]) + b"\r\n"
