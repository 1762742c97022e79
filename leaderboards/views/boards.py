"""The page of one board: what everybody sees of it, kept for a second, and in it what is the viewer's own."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from foundation.errors import NotFound
from leaderboards import selectors
from leaderboards.models import Board
from leaderboards.selectors import BoardPage
from leaderboards.selectors.hidden import shadowed_in
from leaderboards.selectors.restrictions import seen_by
from leaderboards.views import scenes
from leaderboards.views.access import refuse_strangers
from leaderboards.views.answers import parts, private
from leaderboards.views.finding import LONGEST, found_at
from leaderboards.views.frames import frameable
from leaderboards.views.own import Own, is_in_step
from leaderboards.views.scenes import Asked, Scene, asked_of
from leaderboards.views.screen import screen
from leaderboards.views.second import is_anybody, kept_a_second
from leaderboards.views.viewer import Viewer, may_be_signed_in, remember, viewer_of


@require_safe
@frameable
@kept_a_second
def board(request: HttpRequest, seq: int) -> HttpResponse:
    """A period of a board: the top or another page of it, and the viewer among their neighbours."""
    try:
        return _answer(request, asked_of(request, seq))
    except NotFound as error:
        raise Http404(error.detail) from error


def _answer(request: HttpRequest, asked: Asked) -> HttpResponse:
    lately = None if is_anybody(request) else scenes.lately(asked)
    shown = lately.board if lately else selectors.board_by_seq(asked.seq)
    refuse_strangers(request, shown)  # first: who may see a private board must be known
    viewer = viewer_of(request)
    if shown.is_event:
        return _event_board(request, shown)
    if "screen" in request.GET:
        return screen(request, shown, asked.label)
    sought = request.GET.get("find", "").strip()[:LONGEST]
    if sought and (address := found_at(shown, asked.label, sought, viewer)):
        return redirect(f"{request.path}{address}")
    if is_anybody(request):  # their answer is kept itself, so it is of a new scene
        scene, page = scenes.made(asked, shown, None)
    else:
        scene = scenes.of_now(asked, shown)
        if _is_shadowed(viewer, scene):
            return _told_to_shadowed(request, viewer, scene, sought)
        scene, page = _seen_by(viewer, scene)
    return _told(request, Own(scene, viewer, page, sought))


def _is_shadowed(viewer: Viewer, scene: Scene) -> bool:
    stored = scene.page.stored
    return viewer.linked and stored is not None and viewer.player in shadowed_in(stored)


def _told_to_shadowed(request: HttpRequest, viewer: Viewer, of_all: Scene, sought: str) -> HttpResponse:
    """The page as if nothing was, of a scene that nobody else ever gets."""
    with seen_by(viewer.player):
        scene, page = scenes.made(of_all.asked, of_all.board, viewer.player, is_for_all=False)
        return _told(request, Own(scene, viewer, page, sought))


def _seen_by(viewer: Viewer, scene: Scene) -> tuple[Scene, BoardPage]:
    """The scene with the viewer in it; a new one where their row stands in it, and has moved since."""
    if viewer.player is None:
        return scene, scene.page
    page = selectors.beside(scene.page, viewer.player)
    if is_in_step(scene, page, viewer.player):
        return scene, page
    return scenes.made(scene.asked, scene.board, viewer.player)


def _told(request: HttpRequest, own: Own) -> HttpResponse:
    """The moving parts, or the whole page."""
    if "fragment" in request.GET:
        return parts(request, own.etag, lambda: HttpResponse(own.fill(own.scene.parts)))
    known = may_be_signed_in(request) and request.user.is_authenticated
    text = own.scene.whole_for(request.user) if known else own.scene.whole
    response = private(HttpResponse(own.fill(text)))
    remember(request, response, own.viewer)  # not with a part: a tab left open would undo what another one forgot
    return response


def _event_board(request: HttpRequest, board: Board) -> HttpResponse:
    """Its standings are those of its competitions, which may hide them: no label opens them here."""
    if request.GET.get("period"):
        raise Http404(f"Board {board.seq} counts in competitions: use the competition.")
    return render(request, "leaderboards/event_board.html", {"board": board})
