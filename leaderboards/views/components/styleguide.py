"""The style guide: every component with its hardest examples, on one page that nothing links to.

The page is public, because it shows no real data; search engines must not index it.
"""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from leaderboards.core.hues import HUES
from leaderboards.views.components.career import Fact, Medal
from leaderboards.views.components.podium import podium
from leaderboards.views.components.table_rows import Line, Move

COLOURS = (
    *("paper", "surface", "raised", "line", "edge", "faint", "ink", "soft"),
    *("up", "down", "warn", "danger", "gold", "silver", "bronze"),
)
TEXT_SIZES = ("text-xs", "text-s", "text-m", "text-name", "text-points", "text-l", "text-xl", "text-board")
SPACES = ("space-1", "space-2", "space-3", "space-4", "space-6", "space-8")
_ROWS = (
    (1, "Mina Park", "1,234,567", "", Move("up", 3)),
    (2, "W" * 64, "1,000,000", "234,567", Move("down", 12)),
    (3, "سلام دنیا، نام بلند", "999,999", "1", Move("same")),
    (4, "👩‍👩‍👧‍👦🏳️‍🌈", "12", "999,987", Move("new")),
    (4, "<b>김서연</b>", "12", "999,987", None),
    (4, "Z̷̢̛a̴̡͝l̶̨̕g̸̡͠o̷̧͝", "12", "999,987", None),
)


@require_safe
def styleguide(request: HttpRequest) -> HttpResponse:
    """Show all components."""
    lines = [_line(nth, *row) for nth, row in enumerate(_ROWS)]
    context = {
        "colours": COLOURS,
        "hues": HUES,
        "text_sizes": TEXT_SIZES,
        "spaces": SPACES,
        "lines": lines,
        "places": [(line, line.cells[0]) for line in podium(lines)],
        "medals": [Medal(1, 12), Medal(2, 1234), Medal(3, 1)],
        "facts": [
            Fact("Best score", "1,234,567 points", "5–11 Nov"),
            Fact("Played in a row", "12 weeks", "and counting"),
        ],
        "columns": ["Points"],
        "standings": {"total": 1_234_567},
        "first": 1,
        "last": len(lines),
        "number": 2,
        "pages": 12_345,
    }
    response = render(request, "leaderboards/styleguide.html", context)
    response["X-Robots-Tag"] = "noindex"
    return response


def _line(nth: int, rank: int, name: str, points: str, gap: str, move: Move | None) -> Line:  # noqa: PLR0913, PLR0917 - one call a line is one example a line
    tied = rank == 4
    return Line(
        player=f"example-{nth}",
        name=name,
        rank=rank,
        tied=tied,
        cells=[points],
        achieved_at=None,
        is_me=nth == 2,
        tied_count=3 if tied and nth == 3 else 0,
        is_first_of_rank=nth <= 3,
        first_page=2,
        gap=gap,
        move=move,
    )
