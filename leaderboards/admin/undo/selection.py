"""Several entries of the audit log that are to be undone together: which of them are, and what that comes to."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from foundation.audit.actions import is_sensitive, label_of
from foundation.audit.cancelling_pairs import find_cancelled
from foundation.audit.models import AuditEntry
from leaderboards.admin.undo.previews import UndoPreview, is_sealed, preview_or_refusal, preview_undo
from leaderboards.admin.undo.score_and_player_previews import BOARD_CHANGED, preview_undo_of_bans, preview_undo_of_board
from leaderboards.admin.wording.descriptions import in_utc

MOST_PREVIEWED = 10  # entries whose ranks are counted, beside those that have to be seen, and bans: counted together


@dataclass(frozen=True, slots=True)
class UndoSelection:
    """``to_undo``, the latest first; and ``pairs`` of an act and what took it back, which stay as they are."""

    to_undo: Sequence[AuditEntry]
    pairs: Sequence[AuditEntry]


@dataclass(frozen=True, slots=True)
class PreviewSection:
    """What is said of these entries, and the field of the form that carries the seal of it."""

    title: str
    preview: UndoPreview
    field: str
    entries: Sequence[AuditEntry] = ()


def select_undoable(chosen: Sequence[AuditEntry]) -> UndoSelection:
    """What of these entries, the latest first, is undone; what was undone before is only part of pairs."""
    pairs = find_cancelled(chosen)
    undone = set(AuditEntry.objects.filter(undoes__in=chosen).values_list("undoes", flat=True))
    return UndoSelection(
        [entry for entry in chosen if entry.pk not in pairs and entry.pk not in undone],
        [entry for entry in chosen if entry.pk in pairs],
    )


def cancelling_pairs_text(choice: UndoSelection) -> str:
    """That they stay as they are, and why; empty where there are none."""
    if not choice.pairs:
        return ""
    return _(
        "%(number)s of the selected take each other back, such as a ban and its lifting: what was before is so "
        "already, so they stay as they are."
    ) % {"number": len(choice.pairs)}


def selection_summary(choice: UndoSelection, left: int) -> Iterator[str]:
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
        yield cancelling_pairs_text(choice)


def preview_sections(choice: UndoSelection) -> list[PreviewSection]:
    """What undoing them comes to: bans together, the changes of each board together, all that is grave or has to be
    seen, and some of the rest."""
    boards: dict[tuple[str, ...], list[AuditEntry]] = {}
    must, rest = [], []
    for entry in choice.to_undo:
        if entry.act == BOARD_CHANGED:
            boards.setdefault(tuple(entry.keys("board")), []).append(entry)
        elif is_sealed(entry) or is_sensitive(entry.act, entry):
            must.append(entry)
        elif entry.act != "player.banned":
            rest.append(entry)
    return [
        PreviewSection("", preview_undo_of_bans(choice.to_undo), ""),
        *(
            _told(each, preview_or_refusal(partial(preview_undo_of_board, each), sealed=True))
            for each in boards.values()
        ),
        *_each([*must, *rest[:MOST_PREVIEWED]]),
    ]


def blocked_entries(looks: Iterable[PreviewSection]) -> dict[int, str]:
    """Why entries are left as they are that have to be seen and cannot be shown, by their numbers."""
    return {entry.pk: " ".join(told.preview.lines) for told in looks if told.preview.blocks for entry in told.entries}


def _each(entries: Iterable[AuditEntry]) -> Iterator[PreviewSection]:
    for entry in entries:
        preview = preview_undo(entry)
        if preview.lines or preview.changes or preview.seal:
            yield _told([entry], preview)


def _told(entries: Sequence[AuditEntry], preview: UndoPreview) -> PreviewSection:
    first = entries[0]
    return PreviewSection(f"{label_of(first.act)}, {in_utc(first.at)}", preview, f"seen-{first.pk}", entries)
