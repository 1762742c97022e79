"""The list of competitions: those that run, those that come, those that are over."""

from dataclasses import dataclass
from datetime import datetime

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from competitions.core.lifecycle import Phase
from competitions.selectors.competitions import Listed, competitions_listed
from competitions.views.words import moment, phase_word
from foundation import clock
from leaderboards.views.answers import answer, etag_of, is_staff

PAST_A_PAGE = 12
EVERY_SECONDS = 10
OVER = (Phase.FINAL, Phase.CANCELLED)


@dataclass(frozen=True, slots=True)
class Card:
    """A competition in the list; ``seconds_left`` to its start or end, None when it is over."""

    listed: Listed
    word: str
    starts: str
    ends: str
    seconds_left: int | None


@require_safe
def competitions(request: HttpRequest) -> HttpResponse:
    """All that the visitor may know of; with ``?board=``, those of one board."""
    at = clock.now()
    listed = competitions_listed(at, include_private=is_staff(request), board=_board(request))
    past = Paginator([each for each in listed if each.phase in OVER], PAST_A_PAGE).get_page(request.GET.get("page"))
    coming = [each for each in reversed(listed) if each.phase is Phase.OPEN]
    running = sorted(
        (each for each in listed if each.phase not in (Phase.OPEN, *OVER)),
        key=lambda each: (each.competition.ends_at, each.competition.pk),
    )
    context = {
        "running": [_card(each, at) for each in running],
        "coming": [_card(each, at) for each in coming],
        "past": [_card(each, at) for each in past.object_list],
        "page": past,
        "every": EVERY_SECONDS,
    }
    seen = [_moving(each) for each in (*running, *coming, *past.object_list)]
    return answer(request, "competitions/list", context, etag_of(seen, past.number, past.paginator.num_pages))


def _board(request: HttpRequest) -> int | None:
    raw = request.GET.get("board", "")
    return int(raw) if raw.isascii() and raw.isdigit() and len(raw) < 10 else None


def _card(listed: Listed, at: datetime) -> Card:
    competition, zone = listed.competition, listed.competition.timezone
    until = competition.starts_at if listed.phase is Phase.OPEN else competition.ends_at
    left = int((until - at).total_seconds())
    return Card(
        listed,
        phase_word(listed.phase),
        moment(competition.starts_at, zone, at),
        moment(competition.ends_at, zone, at),
        left if left > 0 and listed.phase not in OVER else None,
    )


def _moving(listed: Listed) -> tuple[object, ...]:
    each = listed.competition
    window = (each.starts_at, each.ends_at, each.timezone)
    return (each.pk, each.name, each.picture_hash, each.board.visibility, *window, listed.phase, listed.participants)
