"""Comments for display: with their likes, and with what the visitor may do.

Used by the competition's page and the page of all comments. Nothing here depends on the standings.
"""

import secrets
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.http import HttpRequest
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from competitions import errors
from competitions.core.comments import LONGEST, MOST_LINES, closes_at
from competitions.models import Comment, Competition
from competitions.selectors.comments import (
    NO_REPORTS,
    CommentWithLikes,
    Order,
    Reader,
    ReportsOfComment,
    comments,
    most_liked_today,
    reports_of,
)
from competitions.views.access import own_player
from foundation.errors import RateLimited, SunwiError
from foundation.translate import translated
from leaderboards import formats
from leaderboards.errors import Banned
from likes.stores.base import LikeSummary

SHOWN = 20
BEST_SHOWN = 3
BEST_FROM = 6  # fewer comments need no order by likes


@dataclass(frozen=True, slots=True)
class Line:
    """A comment for display. ``label`` is the text of the like button, ``who`` a sentence on those who like it.

    ``reports`` has the reasons of open reports, for moderators alone.
    """

    comment: Comment
    name: str
    when: str
    is_own: bool
    likes: LikeSummary
    count: str
    label: str
    who: str
    reports: ReportsOfComment = NO_REPORTS


@dataclass(frozen=True, slots=True)
class Draft:
    """A refused text and the reason; empty for a new form."""

    text: str = ""
    refused: str = ""


def reader_of(request: HttpRequest) -> Reader:
    """Return the reader. Moderators also see hidden comments."""
    return Reader(own_player(request), moderates(request))


def moderates(request: HttpRequest) -> bool:
    """Whether the visitor may hide comments."""
    return bool(request.user.is_authenticated and request.user.has_perm("competitions.change_comment"))


def talk(
    request: HttpRequest, competition: Competition, at: datetime, order: Order = Order.NEWEST, offset: int = 0
) -> dict[str, Any]:
    """Return the context of a page of comments with its form."""
    reader = reader_of(request)
    found = comments(competition, order, offset, SHOWN, reader)
    shows_best = found.total >= BEST_FROM and order is Order.NEWEST and not offset
    reported = (
        reports_of([each.comment.pk for each in found.rows], reader) if reader.player or reader.sees_hidden else {}
    )
    lines = [
        replace(line(each, reader, competition.timezone, at), reports=reported.get(each.comment.pk, NO_REPORTS))
        for each in found.rows
    ]
    return {
        "talk": lines,
        "talk_total": found.total,
        "talk_order": order,
        "talk_best": most_liked_today(competition, at, BEST_SHOWN) if shows_best else [],
        "talk_may": may(request, competition, reader, at),
        "talk_likes": _liking(request, reader),
        "talk_moderates": reader.sees_hidden,
        "talk_reports": reader.player is not None and reader.player.banned_at is None,
        "talk_stale": any(not each.likes.live for each in found.rows if each.comment.is_visible),
        "talk_form": secrets.token_urlsafe(12),
        "talk_longest": LONGEST,
    }


def line(item: CommentWithLikes, reader: Reader, zone: str, at: datetime) -> Line:
    """Return a comment for display."""
    comment, likes = item.comment, item.likes
    name, count = str(comment.player), formats.number(likes.count)
    is_own = reader.player is not None and comment.player_id == reader.player.pk
    return Line(
        comment,
        name,
        formats.date_and_time(comment.created_at, zone, at),
        is_own,
        likes,
        count,
        label(name, likes.count),
        who(likes),
    )


def label(name: str, count: int) -> str:
    """Return the label of the like button with the number of likes."""
    words = ngettext(
        "Like the comment of %(name)s, %(number)s like", "Like the comment of %(name)s, %(number)s likes", count
    )
    return words % {"name": name, "number": formats.number(count)}


def who(likes: LikeSummary) -> str:
    """Say who likes it, from the reader's view; the text of the link to their names."""
    others = likes.count - 1
    if not likes.liked:
        return _("Who likes this")
    if others < 1:
        return _("You like this")
    return ngettext("You and %(number)s other", "You and %(number)s others", others) % {
        "number": formats.number(others)
    }


def may(request: HttpRequest, competition: Competition, reader: Reader, at: datetime) -> str:
    """Return what the visitor may do: ``write``, ``sign_in``, ``link`` or ``closed``; empty for banned players."""
    closed = closes_at(competition.ends_at, competition.cancelled_at) <= at
    if competition.published_at is None or closed:
        return "closed"
    if reader.player is None:
        return "link" if request.user.is_authenticated else "sign_in"
    return "" if reader.player.banned_at is not None else "write"


def _liking(request: HttpRequest, reader: Reader) -> str:
    if reader.player is None:
        return "link" if request.user.is_authenticated else "sign_in"
    return "" if reader.player.banned_at is not None else "like"


def refusal(error: SunwiError) -> str:
    """Say why a comment or like was refused."""
    if isinstance(error, errors.BadComment):
        return _bad(error)
    sentences: dict[type[SunwiError], str] = {
        errors.CommentsClosed: _("Comments are closed."),
        errors.CommentHidden: _("A moderator has hidden this comment. You can delete it, and no more."),
        errors.OwnComment: _("Nobody likes their own comment."),
        errors.UnknownComment: _("This comment is gone."),
        Banned: _("This player may not comment."),
        RateLimited: _("That was a lot in a short time. Try again in a minute."),
    }
    return next((words for kind, words in sentences.items() if isinstance(error, kind)), translated(error.detail))


def _bad(error: errors.BadComment) -> str:
    return {
        "empty": _("Write something first."),
        "long": _("A comment has up to %(number)s characters.") % {"number": formats.number(LONGEST)},
        "lines": _("A comment has up to %(number)s lines.") % {"number": MOST_LINES},
        "turning": _("There is a mark in it that turns the text around it. Type it instead of pasting."),
    }.get(error.reason, _("There is a character in it that cannot be kept."))
