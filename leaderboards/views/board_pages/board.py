"""The page of one board: a shared page, cached for a second, filled with the viewer's own parts."""

from dataclasses import replace

from django.contrib.auth import SESSION_KEY
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from foundation.db.resilience import ask
from foundation.errors import NotAvailable, NotFound
from foundation.sunwi_settings import sunwi_settings
from foundation.users import UserKey
from leaderboards import selectors
from leaderboards.models import Board
from leaderboards.selectors import BoardPage
from leaderboards.selectors.rankings.lagging import reading_from_replicas
from leaderboards.selectors.visibility.hidden import shadowed_in
from leaderboards.selectors.visibility.restrictions import viewing_as
from leaderboards.views.board_pages import filters, shared_page
from leaderboards.views.board_pages.filters import Asker
from leaderboards.views.board_pages.screen import screen
from leaderboards.views.board_pages.search import LONGEST, find_on_board
from leaderboards.views.board_pages.shared_page import PageKey, SharedPage, page_key_of
from leaderboards.views.board_pages.viewer_overlay import ViewerOverlay, row_is_current
from leaderboards.views.http.access import require_board_access
from leaderboards.views.http.embedding import frameable
from leaderboards.views.http.micro_cache import is_anonymous_read, micro_cached, poll_later
from leaderboards.views.http.responses import fragment_response, private
from leaderboards.views.http.theme import with_theme
from leaderboards.views.http.viewer import Viewer, may_be_signed_in, remember, viewer_of


@require_safe
@frameable
@micro_cached
def board(request: HttpRequest, seq: int) -> HttpResponse:
    """Show a page of the standings of a period, and the viewer among their neighbours."""
    try:
        return _answer(request, page_key_of(request, seq))
    except (NotFound, NotAvailable) as error:
        raise Http404(error.detail) from error


def _answer(request: HttpRequest, key: PageKey) -> HttpResponse:
    recent = None if is_anonymous_read(request) else shared_page.peek_page(key)
    board = recent.board if recent else selectors.board_by_seq(key.seq)
    require_board_access(request, board)  # before anything of a private board is read
    viewer = viewer_of(request)
    if board.is_event:
        return _event_board(request, board)
    if "screen" in request.GET:
        with reading_from_replicas(is_anonymous_read(request)):
            return screen(request, board, key.label)
    sought = request.GET.get("find", "").strip()[:LONGEST]
    with viewing_as(viewer.player if viewer.linked else None):
        address = find_on_board(board, key.label, sought, viewer) if sought else None
    if address:
        return redirect(f"{request.path}{address}")
    of = filters.filter_asked(request)
    if of:
        return _filtered(request, viewer, key, board, of)
    if is_anonymous_read(request):  # ``micro_cached`` caches this answer, so it must not start from a cached page
        with reading_from_replicas(is_allowed=True):
            for_strangers = replace(key, may_lag=bool(sunwi_settings.REPLICA_STALENESS))
            shared, page = shared_page.build_page(for_strangers, board, None)
    else:
        shared = shared_page.get_page(key, board)
        if _is_shadowed(viewer, shared):
            return _render_for_shadowed(request, viewer, shared, sought)
        shared, page = _with_viewer(viewer, shared)
    return _render(request, ViewerOverlay(shared, viewer, page, sought))


def _filtered(request: HttpRequest, viewer: Viewer, key: PageKey, board: Board, of: str) -> HttpResponse:
    """Render the page of some players. It is built for who asks alone and not cached."""
    public = shared_page.get_page(shared_page.everybody(key), board)
    asker = Asker(viewer, _account(request, of))
    with viewing_as(viewer.player if _is_shadowed(viewer, public) else None):
        page, shown = filters.filtered(board, public.page.standings.period.label, of, key.number, asker)
        total = page.standings.total if page.standings.total > 0 else public.page.standings.total
        page = replace(page, standings=replace(page.standings, total=total))
        shown = replace(shown, lead=public.context["lead"])
        own_key = shared_page.filtered_key(key, of)
        shared = SharedPage(own_key, replace(page, me=None, neighbours=[]), shown)
        return _render(request, ViewerOverlay(shared, viewer, page))


def _account(request: HttpRequest, of: str = "") -> UserKey | None:
    """Return the key of the account that has signed in. Raises ``SqlAway`` if only SQL can say whom one follows."""
    if not may_be_signed_in(request):
        return None
    if request.user.is_authenticated:
        return request.user.pk
    if of == filters.FOLLOWING:
        ask(lambda: request.session.get(SESSION_KEY))  # without SQL everybody counts as not signed in
    return None


def _is_shadowed(viewer: Viewer, shared: SharedPage) -> bool:
    stored = shared.page.stored
    return viewer.linked and stored is not None and viewer.player in shadowed_in(stored)


def _render_for_shadowed(request: HttpRequest, viewer: Viewer, public: SharedPage, sought: str) -> HttpResponse:
    """Render the page with the shadowed viewer in it. The page is built for them alone and not cached."""
    with viewing_as(viewer.player):
        shared, page = shared_page.build_page(public.key, public.board, viewer.player, is_for_all=False)
        return _render(request, ViewerOverlay(shared, viewer, page, sought))


def _with_viewer(viewer: Viewer, shared: SharedPage) -> tuple[SharedPage, BoardPage]:
    """Add the viewer to the shared page. If their row on it is out of date, build a new page."""
    if viewer.player is None:
        return shared, shared.page
    page = selectors.page_with_viewer(shared.page, viewer.player)
    if row_is_current(shared, page, viewer.player):
        return shared, page
    return shared_page.build_page(shared.key, shared.board, viewer.player)


def _render(request: HttpRequest, own: ViewerOverlay) -> HttpResponse:
    """Return the live parts (``?fragment=1``) or the whole page."""
    if "fragment" in request.GET:
        response = fragment_response(request, own.etag, lambda: HttpResponse(own.fill(own.shared.fragment)))
        seconds = own.shared.look_again_after
        return response if seconds is None else poll_later(request, response, seconds)
    if shared_page.TABLES in request.GET:
        return private(HttpResponse(with_theme(request.COOKIES, own.fill(own.shared.tables, has_rows=False))))
    is_signed_in = may_be_signed_in(request) and request.user.is_authenticated
    if "embed" not in request.GET:
        asker = Asker(own.viewer, request.user.pk if is_signed_in else None)
        own.filters = _chips(own, asker)
    template = own.shared.full_page_for(request.user) if is_signed_in else own.shared.full_page
    response = private(HttpResponse(with_theme(request.COOKIES, own.fill(template))))
    remember(request, response, own.viewer)  # not for fragments: an open tab would restore a deleted cookie
    return response


def _chips(own: ViewerOverlay, asker: Asker) -> str:
    """Return the filters that the viewer can choose. Groups are looked for where the board has other apps' panels."""
    shared, of = own.shared, own.shared.key.of
    if of == "" and asker.user_id is None and asker.viewer.player is None:
        return ""
    asker = replace(asker, may_have_group=bool(own.default("panels")))
    label = shared.page.standings.period.label
    return filters.chips_html(QueryDict(shared.key.query), of, shared.board, label, asker)


def _event_board(request: HttpRequest, board: Board) -> HttpResponse:
    """Show a board that competitions use. Its standings are on their pages only, because they may hide them."""
    if request.GET.get("period"):
        raise Http404(f"Board {board.seq} counts in competitions: use the competition.")
    return render(request, "leaderboards/event_board.html", {"board": board})
