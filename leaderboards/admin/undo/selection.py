"""Select which of several audit entries are undone together, and preview that."""

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

MOST_PREVIEWED = 10  # entries whose rank changes are counted, beside sealed and sensitive ones, and bans


@dataclass(frozen=True, slots=True)
class UndoSelection:
    """``to_undo``, the latest first; ``pairs`` of an action and its undo, which stay; what is ``undone`` already."""

    to_undo: Sequence[AuditEntry]
    pairs: Sequence[AuditEntry]
    undone: Sequence[AuditEntry] = ()


@dataclass(frozen=True, slots=True)
class PreviewSection:
    """The preview of some entries, and the form field that carries its seal."""

    title: str
    preview: UndoPreview
    field: str
    entries: Sequence[AuditEntry] = ()


def select_undoable(chosen: Sequence[AuditEntry]) -> UndoSelection:
    """Select the entries to undo (the latest first); an entry that is undone already can only be part of a pair."""
    pairs = find_cancelled(chosen)
    undone = set(AuditEntry.objects.filter(undoes__in=chosen).values_list("undoes", flat=True))
    return UndoSelection(
        [entry for entry in chosen if entry.pk not in pairs and entry.pk not in undone],
        [entry for entry in chosen if entry.pk in pairs],
        [entry for entry in chosen if entry.pk not in pairs and entry.pk in undone],
    )


def cancelling_pairs_text(choice: UndoSelection) -> str:
    """Explain why pairs stay as they are; "" without pairs."""
    if not choice.pairs:
        return ""
    return _(
        "%(number)s of the selected take each other back, such as a ban and its lifting: what was before is so "
        "already, so they stay as they are."
    ) % {"number": len(choice.pairs)}


def selection_summary(choice: UndoSelection, ignored: int) -> Iterator[str]:
    """Yield the number of entries by action, the number of ignored entries, and the explanation of pairs."""
    acts = Counter(str(label_of(entry.act)) for entry in choice.to_undo)
    yield from (f"{label}: {number}" for label, number in acts.items())
    if ignored:
        yield ngettext(
            "%(number)s of the selected is left out: it cannot be undone.",
            "%(number)s of the selected are left out: they cannot be undone.",
            ignored,
        ) % {"number": ignored}
    if choice.pairs:
        yield cancelling_pairs_text(choice)


def preview_sections(choice: UndoSelection) -> list[PreviewSection]:
    """Preview all bans together, the changes of each board together, all sealed or sensitive entries, and the first
    ``MOST_PREVIEWED`` of the others."""
    boards: dict[tuple[str, ...], list[AuditEntry]] = {}
    required, others = [], []
    for entry in choice.to_undo:
        if entry.act == BOARD_CHANGED:
            boards.setdefault(tuple(entry.keys("board")), []).append(entry)
        elif is_sealed(entry) or is_sensitive(entry.act, entry):
            required.append(entry)
        elif entry.act != "player.banned":
            others.append(entry)
    return [
        PreviewSection("", preview_undo_of_bans(choice.to_undo), ""),
        *(
            _section(each, preview_or_refusal(partial(preview_undo_of_board, each), sealed=True))
            for each in boards.values()
        ),
        *_sections([*required, *others[:MOST_PREVIEWED]]),
    ]


def blocked_entries(sections: Iterable[PreviewSection]) -> dict[int, str]:
    """Return by pk why entries are not undone: their sealed preview could not be made."""
    blocking = [each for each in sections if each.preview.blocks]
    return {entry.pk: " ".join(each.preview.lines) for each in blocking for entry in each.entries}


def _sections(entries: Iterable[AuditEntry]) -> Iterator[PreviewSection]:
    for entry in entries:
        preview = preview_undo(entry)
        if preview.lines or preview.changes or preview.seal:
            yield _section([entry], preview)


def _section(entries: Sequence[AuditEntry], preview: UndoPreview) -> PreviewSection:
    first = entries[0]
    return PreviewSection(f"{label_of(first.act)}, {in_utc(first.at)}", preview, f"seen-{first.pk}", entries)
