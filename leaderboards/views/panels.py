"""Panels beside a board's standings that apps above bring along; leaderboards do not know what is in them.

A panel is HTML, read once for a whole page and never for its refreshing parts. What it cannot say while SQL is away is
left out. The trap: what is made for nobody in particular (``player`` None) is shown to everybody, and where that is
empty no viewer is asked for: a panel that has something for a player must have something for anybody.
"""

from collections.abc import Callable
from dataclasses import dataclass

from django.utils.safestring import SafeString, mark_safe

from foundation.sql import SqlAway, ask
from leaderboards.models import Board
from leaderboards.selectors import PeriodShown
from leaderboards.views.viewer import Viewer


@dataclass(frozen=True, slots=True)
class Beside:
    """What a panel stands beside: a board, which of its periods is shown, and who looks."""

    board: Board
    period: PeriodShown
    viewer: Viewer


Panel = Callable[[Beside], str]
_panels: list[Panel] = []


def provide(panel: Panel) -> None:
    """Have ``panel`` shown on boards' pages from now on; it answers escaped HTML, or nothing. Asking twice is once."""
    if panel not in _panels:
        _panels.append(panel)


def panels(beside: Beside) -> SafeString:
    """All panels, in the order in which apps provided them."""
    try:
        return mark_safe("\n".join(ask(lambda: [panel(beside) for panel in _panels])))  # noqa: S308 (escaped by each)
    except SqlAway:
        return mark_safe("")
