"""Several entries of the audit log that are to be undone together: which of them are, and what that comes to."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from foundation.audit.acts import is_grave, label_of
from foundation.audit.models import AuditEntry
from foundation.audit.pairs import taken_back
from leaderboards.admin.sentences import in_utc
from leaderboards.admin.undo_lines import BOARD_CHANGED, all_bans, one_board
from leaderboards.admin.undo_looks import Look, is_sealed, look_at, looked

MOST_FORESEEN = 10  # entries whose ranks are counted, beside those that have to be seen, and bans: counted together


@dataclass(frozen=True, slots=True)
class Choice:
    """``to_undo``, the latest first; and ``pairs`` of an act and what took it back, which stay as they are."""

    to_undo: Sequence[AuditEntry]
    pairs: Sequence[AuditEntry]


@dataclass(frozen=True, slots=True)
class Told:
    """What is said of these entries, and the field of the form that carries the seal of it."""

    title: str
    look: Look
    field: str
    entries: Sequence[AuditEntry] = ()


def choice_of(chosen: Sequence[AuditEntry]) -> Choice:
    """What of these entries, the latest first, is undone; what was undone before is only part of pairs."""
    pairs = taken_back(chosen)
    undone = set(AuditEntry.objects.filter(undoes__in=chosen).values_list("undoes", flat=True))
    return Choice(
        [entry for entry in chosen if entry.pk not in pairs and entry.pk not in undone],
        [entry for entry in chosen if entry.pk in pairs],
    )


def said_of_pairs(choice: Choice) -> str:
    """That they stay as they are, and why; empty where there are none."""
    if not choice.pairs:
        return ""
    return _(
        "%(number)s of the selected take each other back, such as a ban and its lifting: what was before is so "
        "already, so they stay as they are."
    ) % {"number": len(choice.pairs)}


def counted(choice: Choice, left: int) -> Iterator[str]:
    """How many of which act, how many of the selected are left out, and which take each other back."""
    acts = Counter(str(label_of(entry.act)) for entry in choice.to_undo)
    yield from (f"{label}: {number}" for label, number in acts.items())
    if left:
        yield ngettext(
            "%(number)s of the selected is left out: it cannot be undone.",
            "%(number)s of the selected are left out: they cannot be undone.",
            left,
        ) % {"number": left}
    if choice.pairs:
        yield said_of_pairs(choice)


def looks_at(choice: Choice) -> list[Told]:
    """What undoing them comes to: bans together, the changes of each board together, all that is grave or has to be
    seen, and some of the rest."""
    boards: dict[tuple[str, ...], list[AuditEntry]] = {}
    must, rest = [], []
    for entry in choice.to_undo:
        if entry.act == BOARD_CHANGED:
            boards.setdefault(tuple(entry.keys("board")), []).append(entry)
        elif is_sealed(entry) or is_grave(entry.act, entry):
            must.append(entry)
        elif entry.act != "player.banned":
            rest.append(entry)
    return [
        Told("", all_bans(choice.to_undo), ""),
        *(_told(each, looked(partial(one_board, each), sealed=True)) for each in boards.values()),
        *_each([*must, *rest[:MOST_FORESEEN]]),
    ]


def barred(looks: Iterable[Told]) -> dict[int, str]:
    """Why entries are left as they are that have to be seen and cannot be shown, by their numbers."""
    return {entry.pk: " ".join(told.look.lines) for told in looks if told.look.bars for entry in told.entries}


def _each(entries: Iterable[AuditEntry]) -> Iterator[Told]:
    for entry in entries:
        look = look_at(entry)
        if look.lines or look.changes or look.seal:
            yield _told([entry], look)


def _told(entries: Sequence[AuditEntry], look: Look) -> Told:
    first = entries[0]
    return Told(f"{label_of(first.act)}, {in_utc(first.at)}", look, f"seen-{first.pk}", entries)
