"""Panels beside a board's standings that apps above bring along; leaderboards do not know what is in them.

A panel is HTML, read once for a whole page and never for its refreshing parts. What it cannot say while SQL is away is
left out. The trap: what is made for nobody in particular (``player`` None) is shown to everybody, and where that is
empty no viewer is asked for: a panel that has something for a player must have something for anybody.
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
    """What a panel stands beside: a board, which of its periods is shown, and who looks."""

    board: Board
    period: PeriodInfo
    viewer: Viewer


Panel = Callable[[PanelContext], str]
_panels: list[Panel] = []


def register_panel(panel: Panel) -> None:
    """Have ``panel`` shown on boards' pages from now on; it answers escaped HTML, or nothing. Asking twice is once."""
    if panel not in _panels:
        _panels.append(panel)


def panels(beside: PanelContext) -> SafeString:
    """All panels, in the order in which apps provided them."""
    try:
        return mark_safe("\n".join(ask(lambda: [panel(beside) for panel in _panels])))  # noqa: S308 (escaped by each)
    except SqlAway:
        return mark_safe("")
