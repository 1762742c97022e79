"""The tables that say the same as a board's drawings, for one viewer; a page of their own (``?tables=1``)."""

from typing import TYPE_CHECKING

from django.utils.safestring import mark_safe

from leaderboards.views.components.distribution_chart import own_bar
from leaderboards.views.components.gains import days_table as gains_table

if TYPE_CHECKING:
    from leaderboards.views.board_pages.viewer_overlay import ViewerOverlay


def race_table(own: "ViewerOverlay") -> str:
    """Render the ranks of the race, with the viewer's."""
    history = own.shared.history
    return own.render("_table_of_race", race_table=mark_safe(history.race_table_for(own.page.me)) if history else "")  # noqa: S308 - rendered from a template


def spread_table(own: "ViewerOverlay") -> str:
    """Render the bars of the distribution, with the viewer's marked."""
    drawing, me = own.shared.spread, own.page.me
    mine = own_bar(drawing, own.page.standings.rules, me) if drawing and me else None
    return own.render("_table_of_spread", spread=drawing, mine=mine)


def days_table(own: "ViewerOverlay") -> str:
    """Render what the shown players gained each day."""
    history, lines = own.shared.history, own.shared.context["lines"]
    table = gains_table(own.shared.board, history.gains, lines) if history and history.gains else ""
    return own.render("_table_of_days", days_table=mark_safe(table))  # noqa: S308 - ``days_table`` escapes names
