"""The share menu of a competition and of its reveal, and how other sites show links to them."""

from datetime import datetime

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from competitions.models import Competition
from competitions.selectors.standings.standings import page as page_of_rows
from competitions.views.access import as_seen, visible
from foundation import clock
from leaderboards.choices import Visibility
from leaderboards.selectors import Row, Standings
from leaderboards.stores.base import Page
from leaderboards.views.components.pictures import language_query
from leaderboards.views.components.preview import LinkPreview, preview_html, row_title, row_words
from leaderboards.views.components.share import ShareMenu, share_response, with_query
from leaderboards.views.components.table_rows import top_words
from leaderboards.views.http.viewer import row_asked

REVEAL = "reveal"  # value of ``?of=``: the reveal is shared, and not the competition's page


@require_safe
def share_competition(request: HttpRequest, number: int) -> HttpResponse:
    """Offer ways to share a competition, with ``?of=reveal`` its reveal, the viewer's row in it, or another's."""
    competition, viewer = visible(request, number), row_asked(request)
    with as_seen(competition, viewer):
        page = page_of_rows(competition, clock.now(), Page(0, 1), viewer.player)
    of = REVEAL if request.GET.get("of") == REVEAL else ""
    return share_response(request, _menu(competition, page.me if viewer.player else None, page.standings.total, of))


def competition_preview(competition: Competition, shown: Standings, me: Row | None, at: datetime) -> SafeString:
    """Render the preview of a competition at ``at``, or of ``me`` in it; empty for those that are not public."""
    if competition.board.visibility == Visibility.PRIVATE or competition.published_at is None:
        return SafeString()
    card = reverse("competition-card", args=[competition.pk])
    if me is None:
        is_hidden = competition.timeline.shows_nothing(at)
        words = _("Nothing is shown before the reveal.") if is_hidden else top_words(competition.board, shown.rows)
        return preview_html(LinkPreview(competition.name, words, with_query(card, lang=language_query())))
    picture = with_query(card, player=me.player, lang=language_query())
    words = row_words(competition.board, me, shown.total)
    return preview_html(LinkPreview(row_title(competition.name, me), words, picture))


def _menu(competition: Competition, me: Row | None, total: int, of: str) -> ShareMenu:
    page, card = (reverse(name, args=[competition.pk]) for name in ("competition", "competition-card"))
    is_private = competition.board.visibility == Visibility.PRIVATE or competition.published_at is None
    player = me.player if me else None
    return ShareMenu(
        board=competition.board,
        title=competition.name,
        address=reverse("competition-reveal", args=[competition.pk]) if of else with_query(page, player=player),
        picture=with_query(card, player=player, lang=language_query()),
        player=me.name if me and not of else "",
        words=row_words(competition.board, me, total) if me else "",
        embed="" if is_private else with_query(page, embed="1", player=player),
        screen=with_query(page, screen="1"),
        calendar=reverse("competition-calendar", args=[competition.pk]),
        is_private=is_private,
    )
