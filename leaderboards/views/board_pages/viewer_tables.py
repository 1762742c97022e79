"""The tables that say the same as a board's drawings, for one viewer; a page of their own (``?tables=1``).

And the drawings of the viewer's past, which have such tables too.
"""

from typing import TYPE_CHECKING, Any

from django.utils.safestring import mark_safe

from leaderboards import selectors
from leaderboards.selectors import BoardPage
from leaderboards.views.components.distribution_chart import own_bar
from leaderboards.views.components.gains import days_table as gains_table
from leaderboards.views.components.line_chart import chart
from leaderboards.views.components.rank_chart import RankChart, rank_chart_of, with_current_rank

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


def past(own: "ViewerOverlay") -> str | None:
    """Draw the viewer's ranks in this period and their final ranks in earlier ones. None if there are none."""
    shown = _past_of(own)
    return own.render("_past", **shown) if shown["past"] or shown["way"] else None


def past_tables(own: "ViewerOverlay") -> str:
    """Render the tables of what ``past`` draws."""
    return own.render("_tables_of_past", **_past_of(own))


def _past_of(own: "ViewerOverlay") -> dict[str, Any]:
    shared, player = own.shared, own.viewer.player
    past = selectors.past_ranks(shared.board, player) if player and shared.has_past else []
    way = _rank_chart(own.page) if own.page.me and shared.has_rank_history else None
    return {"way": way, "past": past[::-1], "chart": chart(past)}


def _rank_chart(page: BoardPage) -> RankChart | None:
    shown, me = page.standings, page.me
    if me is None:
        return None
    history = selectors.rank_history(me.player, [(shown.board, shown.period.label, shown.rules)])
    return rank_chart_of(shown.board, with_current_rank(history[shown.board.seq], me, shown))
