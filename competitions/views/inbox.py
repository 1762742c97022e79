"""A player's inbox: what he has been told, the latest first, and which of it he has not read."""

from dataclasses import dataclass
from datetime import datetime

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from competitions import sentences
from competitions.models import Notice
from competitions.selectors import inbox as selectors
from competitions.selectors.preferences import zone_of
from competitions.services.inbox import mark_read
from competitions.views.access import for_players
from competitions.views.words import moment
from foundation import clock
from leaderboards.models import Player

MOST_SHOWN = 100


@dataclass(frozen=True, slots=True)
class Message:
    """A notice in words, on the player's clock."""

    notice: Notice
    subject: str
    sentences: list[str]
    when: str


@require_http_methods(["GET", "HEAD", "POST"])
@for_players
def inbox(request: HttpRequest, player: Player) -> HttpResponse:
    """Shows them; a post marks those that it names as read, never one that came meanwhile."""
    at = clock.now()
    if request.method == "POST":
        mark_read(player, at, _numbers(request.POST.getlist("notice") or request.POST.getlist("shown")))
        return redirect("inbox")
    messages = [_message(notice, at) for notice in selectors.inbox(player, MOST_SHOWN)]
    unread = [message for message in messages if message.notice.read_at is None]
    return render(request, "competitions/inbox.html", {"told": messages, "unread": unread, "most": MOST_SHOWN})


def _message(notice: Notice, at: datetime) -> Message:
    zone = zone_of(notice)
    words = sentences.sentences(notice, zone)
    return Message(notice, sentences.subject(notice), words, moment(notice.created_at, zone, at))


def _numbers(typed: list[str]) -> list[int]:
    return [int(each) for each in typed if each.isascii() and each.isdigit() and len(each) < 19]
