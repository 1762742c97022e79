"""What undoing an entry of the audit log comes to, before it is done: each app registers a look for its acts.

A look writes nothing and refuses nothing; what stands in its way is said in its place. The trap: where a look is
sealed, nothing is undone that was not seen as it is now, so a page must carry the seal of what it shows.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from foundation.audit.models import AuditEntry
from foundation.errors import SunwiError
from leaderboards.admin.boards.change_preview import change_rows, consequences
from leaderboards.refusals import translated
from leaderboards.selectors.previews.board_change import BoardChange


@dataclass(frozen=True, slots=True)
class UndoPreview:
    """Sentences, and what would change on boards. ``seal`` is a text that says what was shown, and ``is_seen`` whether
    such a text says what would be done now; without a seal that is all one. ``blocks``: it says why nothing can be
    shown where all has to be seen, so nothing is undone."""

    lines: tuple[str, ...] = ()
    changes: tuple[BoardChange, ...] = ()
    seal: str = ""
    is_seen: Callable[[str], bool] = lambda _seal: True
    blocks: bool = False

    @property
    def boards(self) -> list[dict[str, Any]]:
        """Of each board its name, a row for each setting, and what comes of it, for ``_boards.html``."""
        return [
            {"name": each.board.name, "rows": change_rows(each), "consequences": consequences(each)}
            for each in self.changes
        ]


_looks: dict[str, Callable[[AuditEntry], UndoPreview]] = {}
_sealed: set[str] = set()


def register_undo_preview(act: str, preview: Callable[[AuditEntry], UndoPreview], *, sealed: bool = False) -> None:
    """Have ``preview(entry)`` say what undoing an entry of this act comes to; the latest word about an act counts.

    It may raise a ``SunwiError``, whose words stand in its place then. ``sealed``: its looks all have a seal, so
    what cannot be shown is not undone, and of several to be undone each is shown.
    """
    _looks[act] = preview
    _sealed.difference_update((act,))
    _sealed.update((act,) if sealed else ())


def preview_undo(entry: AuditEntry) -> UndoPreview:
    """What undoing it comes to; nothing where nothing is known to move."""
    preview = _looks.get(entry.act)
    return UndoPreview() if preview is None else preview_or_refusal(lambda: preview(entry), sealed=is_sealed(entry))


def preview_or_refusal(preview: Callable[[], UndoPreview], *, sealed: bool) -> UndoPreview:
    """The look, or why there is none; such a one was never seen where it had to be."""
    try:
        return preview()
    except SunwiError as error:
        return UndoPreview((translated(error.detail),), is_seen=lambda _seal: not sealed, blocks=sealed)


def is_sealed(entry: AuditEntry) -> bool:
    """Whether it is undone only as it was seen."""
    return entry.act in _sealed
