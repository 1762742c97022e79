"""Which of several entries come to nothing together: an act and what took it back, such as a ban and its lifting.

Undoing the later of two such would do the act anew, and undoing the earlier is refused then, since it is another one
that stands. What was before the first of them is so already: whoever undoes both leaves both alone.
"""

from collections.abc import Collection, Iterable

from foundation.audit.actions import Opposites, opposite_codes, opposites_of
from foundation.audit.models import AuditEntry


def find_cancelled(entries: Iterable[AuditEntry]) -> set[int]:
    """The numbers of those of these entries that take each other back, two and two, from the earliest on.

    An entry takes back the one that it undoes, or the latest of the opposite act about the same thing, where no other
    that is not among these came in between.
    """
    rows = sorted(entries, key=lambda entry: entry.pk)
    among = {entry.pk for entry in rows}
    standing: list[AuditEntry] = []
    found: set[int] = set()
    for entry in rows:
        earlier = next((each for each in reversed(standing) if _takes_back(entry, each, among)), None)
        if earlier is None:
            standing.append(entry)
        else:
            standing.remove(earlier)
            found |= {earlier.pk, entry.pk}
    return found


def _takes_back(entry: AuditEntry, earlier: AuditEntry, among: Collection[int]) -> bool:
    if entry.undoes_id == earlier.pk:
        return True
    pair = opposites_of(entry.act, earlier.act)
    if pair is None or not _says_enough(entry, pair) or _thing(entry, pair) != _thing(earlier, pair):
        return False
    if entry.act == earlier.act and (entry.before, entry.after) != (earlier.after, earlier.before):
        return False
    return not _comes_between(entry, earlier, pair, among)


def _says_enough(entry: AuditEntry, pair: Opposites) -> bool:
    """Whether the entry still tells what it is about; an erasure empties what entries say."""
    of_note = not pair.names or any(name in entry.note for name in pair.names)
    return of_note and (pair.one != pair.other or entry.before != entry.after)


def _thing(entry: AuditEntry, pair: Opposites) -> list[object]:
    """What the entry is about, as far as the two have to agree."""
    subjects = [sorted(each.key for each in entry.subjects.all() if each.kind == kind) for kind in pair.kinds]
    return [*subjects, *(entry.note.get(name) for name in pair.names)]


def _comes_between(entry: AuditEntry, earlier: AuditEntry, pair: Opposites, among: Collection[int]) -> bool:
    acts = opposite_codes(entry.act) | opposite_codes(earlier.act)
    others = AuditEntry.objects.filter(pk__gt=earlier.pk, pk__lt=entry.pk, act__in=acts).exclude(pk__in=among)
    for kind in pair.kinds:
        keys = [each.key for each in entry.subjects.all() if each.kind == kind]
        others = others.filter(subjects__kind=kind, subjects__key__in=keys)
    thing = _thing(entry, pair)
    return any(_thing(each, pair) == thing for each in others.prefetch_related("subjects"))
