"""The preview image of a link to a board: its name and top three, redrawn at most once a minute."""

from django.core.cache import cache
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from foundation.errors import NotFound
from leaderboards import selectors
from leaderboards.drawing import CardRow, draw_card
from leaderboards.models import Visibility
from leaderboards.views.components.table_rows import result

CACHED_SECONDS = 60


@require_safe
def board_card(_request: HttpRequest, seq: int) -> HttpResponse:
    """Return a PNG of 1200×630. 404 for private boards, even for staff, and for boards that competitions use."""
    key = f"card:{seq}"
    image = cache.get(key)
    if not isinstance(image, bytes):
        image = _draw(seq)
        cache.set(key, image, CACHED_SECONDS)
    return HttpResponse(image, content_type="image/png", headers={"Cache-Control": f"public, max-age={CACHED_SECONDS}"})


def _draw(seq: int) -> bytes:
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
