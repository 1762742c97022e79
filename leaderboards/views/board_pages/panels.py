"""Panels beside a board's standings that other apps register; leaderboards do not know their content.

A panel is HTML, rendered once for a whole page and never for its live parts. While SQL is unavailable there are none.
The trap: the panels of an anonymous viewer (``player`` None) are shown to everybody, and if they are empty, the panels
of other viewers are not rendered. A panel with content for a player must have content for an anonymous viewer.
"""

from collections.abc import Callable
from dataclasses import dataclass

from django.utils.safestring import SafeString, mark_safe

from foundation.db.resilience import SqlAway, ask
from leaderboards.models import Board
from leaderboards.selectors import PeriodInfo
from leaderboards.views.http.viewer import Viewer


@dataclass(frozen=True, slots=True)
class PanelContext:
    """The board, its shown period and the viewer for whom a panel is rendered."""

    board: Board
    period: PeriodInfo
    viewer: Viewer


Panel = Callable[[PanelContext], str]
_panels: list[Panel] = []


def register_panel(panel: Panel) -> None:
    """Show ``panel`` on boards' pages. It returns escaped HTML or an empty string. Registering twice has no effect."""
    if panel not in _panels:
        _panels.append(panel)


def panels(context: PanelContext) -> SafeString:
    """Render all panels in the order of their registration."""
    try:
        return mark_safe("\n".join(ask(lambda: [panel(context) for panel in _panels])))  # noqa: S308 - each panel escapes its own
    except SqlAway:
        return mark_safe("")
