"""What the first page shows of competitions: those that run now, and for their participants what is ahead and new."""

from collections.abc import Sequence
from datetime import datetime

from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from competitions import notice_texts
from competitions.core.lifecycle import Phase
from competitions.models import Competition, Notice
from competitions.selectors.competitions import competitions_ahead_of, competitions_known, summaries_of
from competitions.selectors.notices.inbox import latest_unread
from competitions.views.competition.listing import (
    Card,
    cards_of,
    coming_of,
    etag_parts_of,
    expire_at_phase_changes,
    running_of,
)
from foundation import clock
from leaderboards import formats
from leaderboards.choices import Visibility
from leaderboards.models import Player
from leaderboards.views.components.other_apps import Coming, HomeLead, HomePart, News
from leaderboards.views.http.viewer import viewer_of

MOST_CARDS = 3
MOST_NEWS = 3


def home_part(request: HttpRequest) -> HomePart:
    """Show the competitions on public boards that end or start next; for a player also theirs, and unread notices."""
    at = clock.now()
    known = [each for each in competitions_known(at) if each.board.visibility == Visibility.PUBLIC]
    expire_at_phase_changes(request, known, at)
    viewer = viewer_of(request)
    own = competitions_ahead_of(viewer.player, at) if viewer.player and viewer.linked else []
    first = [*running_of(known, at), *coming_of(known, at)][:MOST_CARDS]
    cards = cards_of(request, summaries_of(first, at), at, {each.pk for each in own})
    led = [card for card in cards if card.leader and card.seconds_left is not None]
    return HomePart(
        "competitions/_now.html",
        cards,
        [etag_parts_of(card) for card in cards],
        [_coming(each, at) for each in own],
        _news(request) if viewer.linked else (),
        lead=_lead(led[0]) if led else None,
        beside_lead=[card for card in cards if card not in led[:1]],
    )


def _lead(card: Card) -> HomeLead:
    competition, participants = card.listed.competition, card.listed.participants
    number = formats.number(participants)
    return HomeLead(
        competition.board,
        competition.name,
        reverse("competition", args=[competition.pk]),
        _("Competition"),
        ngettext("%(number)s participant", "%(number)s participants", participants) % {"number": number},
        card.leader.rows if card.leader else (),
        competition.ends_at,
        card.seconds_left,
    )


def _coming(competition: Competition, at: datetime) -> Coming:
    is_start = competition.phase(at) is Phase.OPEN
    moment = competition.starts_at if is_start else competition.ends_at
    address = reverse("competition", args=[competition.pk])
    left = int((moment - at).total_seconds())
    return Coming(moment, competition.board, competition.name, address, left, is_start)


def _news(request: HttpRequest) -> Sequence[News]:
    player: Player | None = getattr(request.user, "player", None)
    return [_told(each) for each in latest_unread(player, MOST_NEWS)] if player else ()


def _told(notice: Notice) -> News:
    competition = notice.competition
    return News(
        competition.board,
        notice_texts.short(notice),
        competition.name,
        reverse("inbox"),
        notice.created_at,
        competition.timezone,
    )
