"""A player's inbox: their notices, latest first, read and unread."""

from dataclasses import dataclass
from datetime import datetime

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from competitions import sentences
from competitions.models import Notice
from competitions.selectors.notices import inbox as selectors
from competitions.selectors.notices.preferences import zone_of
from competitions.services.notices.inbox import mark_read
from competitions.views.access import player_required, visible_competitions
from foundation import clock
from foundation.numbers import whole_number
from leaderboards.models import Player

MOST_SHOWN = 100


@dataclass(frozen=True, slots=True)
class Message:
    """A notice as text, with times in the player's time zone; linked if they may still open the competition."""

    notice: Notice
    subject: str
    sentences: list[str]
    when: str
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


def _message(notice: Notice, at: datetime, is_linked: bool) -> Message:
    zone = zone_of(notice)
    words = sentences.sentences(notice, zone)
    when = sentences.zoned(notice.created_at, zone, at)
    return Message(notice, sentences.subject(notice), words, when, is_linked)


def _numbers(typed: list[str]) -> list[int]:
    return [number for each in typed if (number := whole_number(each)) is not None]
