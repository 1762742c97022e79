"""Names of the periods that audit entries note by number: "2026-47 of Weekly wins"."""

from collections.abc import Iterable, Mapping

from django.utils.translation import gettext as _

from foundation.audit.models import AuditEntry
from leaderboards.models import Period


def load_period_names(entries: Iterable[AuditEntry]) -> dict[int, str]:
    """Return the names of all periods that these entries note, by number, with one SQL statement."""
    numbers = {number for entry in entries if (number := period_id_in(entry.note)) is not None}
    rows = Period.objects.filter(pk__in=numbers).values_list("pk", "label", "board__name") if numbers else ()
    return {pk: _("%(period)s of %(board)s") % {"period": label, "board": board} for pk, label, board in rows}


def period_id_in(note: Mapping[str, object]) -> int | None:
    """Return the number of the period in a note; None without one."""
    number = note.get("period")
    return number if isinstance(number, int) and not isinstance(number, bool) else None
