"""How other sites show a link to a page: a title, a sentence and a picture, of the page or of one row on it."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.conf import settings
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from leaderboards import formats
from leaderboards.models import Board, Visibility
from leaderboards.selectors import CURRENT, Row
from leaderboards.views.components.pictures import language_query, rank_words
from leaderboards.views.components.share import with_query
from leaderboards.views.components.table_rows import result, top_words


@dataclass(frozen=True, slots=True)
class LinkPreview:
    """``picture`` is the path of the picture with its query."""

    title: str
    words: str
    picture: str


def preview_html(preview: LinkPreview) -> SafeString:
    """Render the elements for the head of a page."""
    site = settings.SITE_URL.rstrip("/")
    return SafeString(render_to_string("leaderboards/_preview.html", {"preview": preview, "site": site}))


def board_preview(board: Board, label: str, rows: Sequence[Row], me: Row | None, total: int) -> SafeString:
    """Render the preview of a board's period, or of ``me`` in it; empty for private boards."""
    if board.visibility == Visibility.PRIVATE:
        return SafeString()
    card = reverse("board-card", args=[board.seq])
    here = {"period": None if label == CURRENT else label, "lang": language_query()}
    if me is None:
        return preview_html(LinkPreview(board.name, top_words(board, rows), with_query(card, **here)))
    title, words = row_title(board.name, me), row_words(board, me, total)
    return preview_html(LinkPreview(title, words, with_query(card, player=me.player, **here)))


def row_title(title: str, row: Row) -> str:
    """Say whose row it is: robin: rank =4 · Weekly wins."""
    values = {"name": row.name, "rank": rank_words(row), "title": title}
    return _("%(name)s: rank %(rank)s · %(title)s") % values


def row_words(board: Board, row: Row, total: int) -> str:
    """Describe a row in a sentence: robin, rank =4 of 12 with 1,240 points."""
    return _("%(name)s, rank %(rank)s of %(total)s with %(result)s") % {
        "name": row.name,
        "rank": rank_words(row),
        "total": formats.number(total),
        "result": result(board, row),
    }
