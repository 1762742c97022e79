"""Previews of undoing an entry of the audit log. Each app registers a preview for its actions.

A preview writes nothing; if the undo would be refused, it shows the reason. The trap: an action with sealed previews
is only undone if the user has seen its current preview, so the page must send back the seal of what it shows.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from foundation.audit.models import AuditEntry
from foundation.errors import SunwiError
from foundation.translate import translated
from leaderboards.admin.boards.change_preview import change_rows, consequences
from leaderboards.selectors.previews.board_change import BoardChange


@dataclass(frozen=True, slots=True)
class UndoPreview:
    """Sentences, and changes of boards.

    ``seal`` identifies what is shown; ``is_seen`` checks a seal from the form against the current state (any text,
    without a seal). ``blocks``: a sealed preview could not be made, and the lines say why, so nothing is undone.
    """

    lines: tuple[str, ...] = ()
    changes: tuple[BoardChange, ...] = ()
    seal: str = ""
    is_seen: Callable[[str], bool] = lambda _seal: True
    blocks: bool = False

    @property
    def boards(self) -> list[dict[str, Any]]:
        """Return each board's name, changed settings and their consequences, for ``_boards.html``."""
        return [
            {"name": each.board.name, "rows": change_rows(each), "consequences": consequences(each)}
            for each in self.changes
        ]


_previews: dict[str, Callable[[AuditEntry], UndoPreview]] = {}
_sealed_actions: set[str] = set()


def register_undo_preview(act: str, preview: Callable[[AuditEntry], UndoPreview], *, sealed: bool = False) -> None:
    """Register the preview of undoing entries of this action; a later registration replaces an earlier one.

    ``preview`` may raise a ``SunwiError``, whose message is shown instead. ``sealed``: every preview has a seal; an
    entry whose preview fails is not undone, and a bulk undo shows every preview.
    """
    _previews[act] = preview
    if sealed:
        _sealed_actions.add(act)
    else:
        _sealed_actions.discard(act)


def preview_undo(entry: AuditEntry) -> UndoPreview:
    """Return the preview of undoing the entry; empty if its action has none."""
    preview = _previews.get(entry.act)
    return UndoPreview() if preview is None else preview_or_refusal(lambda: preview(entry), sealed=is_sealed(entry))


def preview_or_refusal(preview: Callable[[], UndoPreview], *, sealed: bool) -> UndoPreview:
    """Return the preview, or the refusal as a preview; a refused sealed preview is never seen, and blocks the undo."""
    try:
        return preview()
    except SunwiError as error:
        return UndoPreview((translated(error.detail),), is_seen=lambda _seal: not sealed, blocks=sealed)


def is_sealed(entry: AuditEntry) -> bool:
    """Return whether the entry is only undone if its current preview was seen."""
    return entry.act in _sealed_actions
