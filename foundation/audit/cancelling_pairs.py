"""Finding entries that cancel each other, such as a ban and its lifting, before several entries are undone together.

Undoing the lifting would ban again, and then undoing the ban would be refused, because the ban in effect is a new one.
The state before the pair already holds, so a bulk undo leaves out both.
"""

from collections.abc import Collection, Iterable

from foundation.audit.actions import Opposites, opposite_codes, opposites_of
from foundation.audit.models import AuditEntry


def find_cancelled(entries: Iterable[AuditEntry]) -> set[int]:
    """The primary keys of those entries that cancel each other in pairs, matched from the earliest on.

    An entry cancels the entry that it undoes, or the latest entry of the opposite action about the same subject,
    unless an entry outside ``entries`` came between the two.
    """
    ordered = sorted(entries, key=lambda entry: entry.pk)
    selected = {entry.pk for entry in ordered}
    in_effect: list[AuditEntry] = []
    cancelled: set[int] = set()
    for entry in ordered:
        earlier = next((each for each in reversed(in_effect) if _cancels(entry, each, selected)), None)
        if earlier is None:
            in_effect.append(entry)
        else:
            in_effect.remove(earlier)
            cancelled |= {earlier.pk, entry.pk}
    return cancelled


def _cancels(entry: AuditEntry, earlier: AuditEntry, selected: Collection[int]) -> bool:
    if entry.undoes_id == earlier.pk:
        return True
    pair = opposites_of(entry.act, earlier.act)
    if pair is None or not _is_comparable(entry, pair) or _match_key(entry, pair) != _match_key(earlier, pair):
        return False
    if entry.act == earlier.act and (entry.before, entry.after) != (earlier.after, earlier.before):
        return False
    return not _has_entry_between(entry, earlier, pair, selected)


def _is_comparable(entry: AuditEntry, pair: Opposites) -> bool:
    """Whether the entry still has the values to compare: an erasure empties note, before and after."""
    has_names = not pair.names or any(name in entry.note for name in pair.names)
    return has_names and (pair.one != pair.other or entry.before != entry.after)


def _match_key(entry: AuditEntry, pair: Opposites) -> list[object]:
    """The values that must be equal in the two entries of a pair."""
    subjects = [sorted(each.key for each in entry.subjects.all() if each.kind == kind) for kind in pair.kinds]
    return [*subjects, *(entry.note.get(name) for name in pair.names)]


def _has_entry_between(entry: AuditEntry, earlier: AuditEntry, pair: Opposites, selected: Collection[int]) -> bool:
    codes = opposite_codes(entry.act) | opposite_codes(earlier.act)
    others = AuditEntry.objects.filter(pk__gt=earlier.pk, pk__lt=entry.pk, act__in=codes).exclude(pk__in=selected)
    for kind in pair.kinds:
        keys = [each.key for each in entry.subjects.all() if each.kind == kind]
        others = others.filter(subjects__kind=kind, subjects__key__in=keys)
    match_key = _match_key(entry, pair)
    return any(_match_key(each, pair) == match_key for each in others.prefetch_related("subjects"))
