"""How other sites show a link to a page: a title, a sentence and a picture, of the page or of one row on it."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from foundation.sunwi_settings import sunwi_settings
from leaderboards import formats
from leaderboards.models import Board, Visibility
from leaderboards.selectors import CURRENT, Row
from leaderboards.views.components.pictures import language_query, rank_words
from leaderboards.views.components.share import with_query
from leaderboards.views.components.table_rows import result, top_words

MOST_NAMES = 5  # that the preview of a list says


@dataclass(frozen=True, slots=True)
class LinkPreview:
    """``picture`` is the path of the picture with its query; without one it is empty, and the words stand alone."""

    title: str
    words: str
    picture: str = ""


def preview_html(preview: LinkPreview) -> SafeString:
    """Render the elements for the head of a page."""
    site = sunwi_settings.SITE_URL.rstrip("/")
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


def list_preview(title: str, names: Sequence[str]) -> SafeString:
    """Render the preview of a list by the names of the first things on it; empty if there are none."""
    if not names:
        return SafeString()
    return preview_html(LinkPreview(title, " · ".join(names[:MOST_NAMES]) + (" …" if len(names) > MOST_NAMES else "")))


def place_words(title: str, row: Row, total: int) -> str:
    """Say where a row stands: rank =4 of 12 on Weekly wins."""
    values = {"rank": rank_words(row), "total": formats.number(total), "title": title}
    return _("rank %(rank)s of %(total)s on %(title)s") % values


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
