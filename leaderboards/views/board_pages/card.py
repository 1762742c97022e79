"""The picture that other sites show beside a link to a board: its name and top three, drawn at most once a minute."""

from django.core.cache import cache
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from foundation.errors import NotFound
from leaderboards import selectors
from leaderboards.drawing import CardRow, draw_card
from leaderboards.models import Visibility
from leaderboards.views.components.table_rows import result

KEPT_SECONDS = 60


@require_safe
def board_card(_request: HttpRequest, seq: int) -> HttpResponse:
    """A PNG of 1200×630. 404 for private boards, for staff too, and for those that count in competitions."""
    key = f"card:{seq}"
    drawn = cache.get(key)
    if not isinstance(drawn, bytes):
        drawn = _drawn(seq)
        cache.set(key, drawn, KEPT_SECONDS)
    return HttpResponse(drawn, content_type="image/png", headers={"Cache-Control": f"public, max-age={KEPT_SECONDS}"})


def _drawn(seq: int) -> bytes:
    try:
        board = selectors.board_by_seq(seq)
    except NotFound as error:
        raise Http404(error.detail) from error
    if board.visibility == Visibility.PRIVATE or board.is_event:
        raise Http404(f"Board {seq} has no picture.")
    rows = selectors.standings(board, limit=3).rows
    places = [
        CardRow(row.rank or nth, row.name, row.player, result(board, row), tied=(row.tied or 1) > 1)
        for nth, row in enumerate(rows, 1)
    ]
    return draw_card(board.name, places)
