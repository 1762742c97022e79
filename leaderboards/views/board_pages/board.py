"""The page of one board: what everybody sees of it, kept for a second, and in it what is the viewer's own."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from foundation.errors import NotFound
from leaderboards import selectors
from leaderboards.models import Board
from leaderboards.selectors import BoardPage
from leaderboards.selectors.visibility.hidden import shadowed_in
from leaderboards.selectors.visibility.restrictions import viewing_as
from leaderboards.views.board_pages import shared_page
from leaderboards.views.board_pages.screen import screen
from leaderboards.views.board_pages.search import LONGEST, find_on_board
from leaderboards.views.board_pages.shared_page import PageKey, SharedPage, page_key_of
from leaderboards.views.board_pages.viewer_overlay import ViewerOverlay, row_is_current
from leaderboards.views.http.access import require_board_access
from leaderboards.views.http.embedding import frameable
from leaderboards.views.http.micro_cache import is_anonymous_read, micro_cached
from leaderboards.views.http.responses import fragment_response, private
from leaderboards.views.http.viewer import Viewer, may_be_signed_in, remember, viewer_of


@require_safe
@frameable
@micro_cached
def board(request: HttpRequest, seq: int) -> HttpResponse:
    """A period of a board: the top or another page of it, and the viewer among their neighbours."""
    try:
        return _answer(request, page_key_of(request, seq))
    except NotFound as error:
        raise Http404(error.detail) from error


def _answer(request: HttpRequest, key: PageKey) -> HttpResponse:
    recent = None if is_anonymous_read(request) else shared_page.peek_page(key)
    shown = recent.board if recent else selectors.board_by_seq(key.seq)
    require_board_access(request, shown)  # first: who may see a private board must be known
    viewer = viewer_of(request)
    if shown.is_event:
        return _event_board(request, shown)
    if "screen" in request.GET:
        return screen(request, shown, key.label)
    sought = request.GET.get("find", "").strip()[:LONGEST]
    if sought and (address := find_on_board(shown, key.label, sought, viewer)):
        return redirect(f"{request.path}{address}")
    if is_anonymous_read(request):  # their answer is kept itself, so it is of a new scene
        shared, page = shared_page.build_page(key, shown, None)
    else:
        shared = shared_page.get_page(key, shown)
        if _is_shadowed(viewer, shared):
            return _told_to_shadowed(request, viewer, shared, sought)
        shared, page = _seen_by(viewer, shared)
    return _told(request, ViewerOverlay(shared, viewer, page, sought))


def _is_shadowed(viewer: Viewer, shared: SharedPage) -> bool:
    stored = shared.page.stored
    return viewer.linked and stored is not None and viewer.player in shadowed_in(stored)


def _told_to_shadowed(request: HttpRequest, viewer: Viewer, of_all: SharedPage, sought: str) -> HttpResponse:
    """The page as if nothing was, of a scene that nobody else ever gets."""
    with viewing_as(viewer.player):
        shared, page = shared_page.build_page(of_all.key, of_all.board, viewer.player, is_for_all=False)
        return _told(request, ViewerOverlay(shared, viewer, page, sought))


def _seen_by(viewer: Viewer, shared: SharedPage) -> tuple[SharedPage, BoardPage]:
    """The scene with the viewer in it; a new one where their row stands in it, and has moved since."""
    if viewer.player is None:
        return shared, shared.page
    page = selectors.page_with_viewer(shared.page, viewer.player)
    if row_is_current(shared, page, viewer.player):
        return shared, page
    return shared_page.build_page(shared.key, shared.board, viewer.player)


def _told(request: HttpRequest, own: ViewerOverlay) -> HttpResponse:
    """The moving parts, or the whole page."""
    if "fragment" in request.GET:
        return fragment_response(request, own.etag, lambda: HttpResponse(own.fill(own.shared.fragment)))
    known = may_be_signed_in(request) and request.user.is_authenticated
    text = own.shared.full_page_for(request.user) if known else own.shared.full_page
    response = private(HttpResponse(own.fill(text)))
    remember(request, response, own.viewer)  # not with a part: a tab left open would undo what another one forgot
    return response


def _event_board(request: HttpRequest, board: Board) -> HttpResponse:
    """Its standings are those of its competitions, which may hide them: no label opens them here."""
    if request.GET.get("period"):
        raise Http404(f"Board {board.seq} counts in competitions: use the competition.")
    return render(request, "leaderboards/event_board.html", {"board": board})
