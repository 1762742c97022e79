"""The picture of a board for link previews, or with ``?player=`` that of one player's row.

It shows what everybody sees on the page; a signed-in player who is shadowed finds themselves on their own picture too.
"""

from contextlib import AbstractContextManager, nullcontext

from django.http import Http404, HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import override
from django.views.decorators.http import require_safe

from foundation.errors import NotFound
from leaderboards import formats, selectors
from leaderboards.core.hues import hue_of
from leaderboards.core.marks import mark_of
from leaderboards.drawing import BoardPicture, CardRow, OwnPicture
from leaderboards.models import Board, Visibility
from leaderboards.selectors import PlayerRow, Standings
from leaderboards.selectors.visibility.hidden import is_shadowed_on
from leaderboards.selectors.visibility.restrictions import viewing_as
from leaderboards.views.components.period_labels import is_final, is_running
from leaderboards.views.components.pictures import (
    language_asked,
    move_words,
    picture_response,
    player_asked,
    rank_words,
    zoned,
)
from leaderboards.views.components.table_rows import move_of, result
from leaderboards.views.components.window_dates import dates_text
from leaderboards.views.http.viewer import Viewer, may_be_signed_in, viewer_of

SHOWN = 3


@require_safe
def board_card(request: HttpRequest, seq: int) -> HttpResponse:
    """Return a PNG of 1200×630.

    404 for private boards, even for staff, for boards that competitions use, and for players without a rank.
    """
    try:
        board = selectors.board_by_seq(seq)
        if board.visibility == Visibility.PRIVATE or board.is_event:
            raise Http404(f"Board {seq} has no picture.")
        with override(language_asked(request)):
            return _answer(request, board, request.GET.get("period") or selectors.CURRENT)
    except NotFound as error:
        raise Http404(error.detail) from error


def _answer(request: HttpRequest, board: Board, label: str) -> HttpResponse:
    player = player_asked(request)
    if player is None:
        return picture_response(request, _of_board(selectors.standings(board, label, limit=SHOWN)), is_public=True)
    viewer = viewer_of(request) if may_be_signed_in(request) else Viewer(None)
    is_own = viewer.linked and viewer.player == player
    with as_seen_by(player if is_own else None, board):
        row = selectors.player_row(board, player, label)
        return picture_response(request, _of_player(board, row), is_public=not is_own)


def as_seen_by(player: str | None, board: Board) -> AbstractContextManager[None]:
    """Return a context in which ``player``, who asks for themselves, is shown although they are shadowed."""
    return viewing_as(player) if player and is_shadowed_on(board.seq, player) else nullcontext()


def _of_board(shown: Standings) -> BoardPicture:
    board = shown.board
    places = [
        CardRow(row.rank or nth, row.name, row.player, result(board, row), tied=(row.tied or 1) > 1)
        for nth, row in enumerate(shown.rows, 1)
    ]
    return BoardPicture(
        hue=hue_of(board.seq, board.hue),
        title=board.name,
        mark=mark_of(board.name),
        under=_period_words(board, shown),
        places=places,
        empty=_("Nobody scored.") if is_final(shown.period) else _("Nobody has scored yet."),
        footer=_footer(board, shown),
    )


def _of_player(board: Board, found: PlayerRow) -> OwnPicture:
    row, zone = found.row, board.timezone
    movement = selectors.movement(board, found.period, [row.player])
    move = move_of(row, movement)
    since = zoned(formats.time_or_date(movement.since, zone, found.as_of), zone) if movement.since else ""
    return OwnPicture(
        hue=hue_of(board.seq, board.hue),
        title=board.name,
        mark=mark_of(board.name),
        under=_period_words(board, found),
        player=row.player,
        name=row.name,
        rank_label=_("Rank"),
        rank=rank_words(row),
        total=_("of %(total)s") % {"total": formats.number(found.total)},
        result=result(board, row),
        move=move_words(move, since),
        direction=move.direction if move else "",
        footer=_footer(board, found),
    )


def _period_words(board: Board, shown: Standings | PlayerRow) -> str:
    name = formats.period_name(board, is_running(shown.period, shown.as_of))
    return " · ".join(filter(None, (name, dates_text(board, shown.period, shown.as_of))))


def _footer(board: Board, shown: Standings | PlayerRow) -> str:
    if is_final(shown.period):
        return _("Final standings")
    moment = zoned(formats.moment(shown.as_of, board.timezone), board.timezone)
    return _("As of %(moment)s") % {"moment": moment}
