"""A player's inbox: their notices, latest first, read and unread.

Each time names its zone: the one that the player chose, else the competition's, which a script converts to the
reader's as on all pages (``static/js/local-time.js``).
"""

from dataclasses import dataclass
from datetime import datetime

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.html import escape, format_html
from django.utils.safestring import SafeString, mark_safe
from django.views.decorators.http import require_http_methods

from competitions import notice_texts
from competitions.models import Notice
from competitions.selectors.notices import inbox as selectors
from competitions.selectors.notices.preferences import preference_of, zone_of
from competitions.services.notices.inbox import mark_read
from competitions.views.access import player_required, visible_competitions
from competitions.views.competition.words import timed
from foundation import clock
from foundation.numbers import whole_number
from leaderboards.models import Player

MOST_SHOWN = 100


@dataclass(frozen=True, slots=True)
class ShownNotice:
    """A notice as text; linked if the player may still open the competition.

    ``zone`` is the zone of its times if the player chose none, else empty: then a script must not convert them.
    """

    notice: Notice
    subject: str
    sentences: list[SafeString]
    when: SafeString
    zone: str
    is_linked: bool


@require_http_methods(["GET", "HEAD", "POST"])
@player_required
def inbox(request: HttpRequest, player: Player) -> HttpResponse:
    """Show the notices; mark the posted ones as read. Notices that arrived meanwhile stay unread."""
    at = clock.now()
    if request.method == "POST":
        mark_read(player, at, _numbers(request.POST.getlist("notice") or request.POST.getlist("shown")))
        return redirect("inbox")
    notices = selectors.inbox(player, MOST_SHOWN)
    known = {each.pk for each in visible_competitions(request, [notice.competition for notice in notices])}
    messages = [_message(notice, at, notice.competition_id in known) for notice in notices]
    unread = [message for message in messages if message.notice.read_at is None]
    return render(request, "competitions/inbox.html", {"told": messages, "unread": unread, "most": MOST_SHOWN})


def _message(notice: Notice, at: datetime, is_linked: bool) -> ShownNotice:
    zone = zone_of(notice)
    words = [_with_times(each, notice, zone) for each in notice_texts.sentences(notice, zone)]
    own = "" if preference_of(notice.player).timezone else zone
    return ShownNotice(notice, notice_texts.subject(notice), words, _zoned(notice.created_at, zone, at), own, is_linked)


def _with_times(sentence: str, notice: Notice, zone: str) -> SafeString:
    """Return the sentence as HTML with its times as elements."""
    html = str(escape(sentence))
    for at in notice_texts.times_in(notice):
        for seconds in (True, False):
            text = escape(notice_texts.zoned(at, zone, notice.created_at, seconds=seconds))
            html = html.replace(text, _zoned(at, zone, notice.created_at, seconds=seconds))
    return mark_safe(html)  # noqa: S308 - its parts are escaped above


def _zoned(at: datetime, zone: str, now: datetime, *, seconds: bool = False) -> SafeString:
    values = {
        "moment": timed(at, zone, now, seconds=seconds),
        "zone": format_html('<span class="zone">{}</span>', zone),
    }
    return mark_safe(escape(notice_texts.zoned_pattern()) % values)  # noqa: S308 - both are HTML


def _numbers(typed: list[str]) -> list[int]:
    return [number for each in typed if (number := whole_number(each)) is not None]
