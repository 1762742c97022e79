"""What the page of a period says: in which state it is, from when to when, who leads, and by which rules.

Only what there is to say is said: a value that the period does not have is left out.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial

from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from foundation import clock
from foundation.db.blocks import Block, Budget
from leaderboards import formats
from leaderboards.admin.boards.best_rows import Best, best_of
from leaderboards.admin.boards.liveness import Liveness, liveness_of_period
from leaderboards.admin.wording.descriptions import on_the_boards_clock, rules_in_words
from leaderboards.admin.wording.periods import period_in_words, period_title
from leaderboards.models import OVER_STATES, Period, PeriodSnapshot, PeriodState
from leaderboards.selectors.catalog.periods import period_info

Fact = tuple[str, str | SafeString]


@dataclass(frozen=True, slots=True)
class PeriodHead:
    """``state`` is a word, ``sentence`` what it means now, and ``until`` what the clock counts down to, if anything."""

    name: str
    state: str
    sentence: str
    until: datetime | None
    seconds: int
    opens: bool
    times: list[Fact]
    facts: list[Fact]
    liveness: Block[Liveness | None]
    best: Block[Best]


def period_head(request: HttpRequest, period: Period, at: datetime) -> PeriodHead:
    """Return what is known of a period at ``at`` (UTC). Raises nothing: a part that cannot be read says so."""
    budget = Budget()
    starts_later = period.starts_at is not None and period.starts_at > at
    until = period.starts_at if starts_later else period.ends_at
    is_counted = until is not None and until > at and period.state not in OVER_STATES
    kept = budget.read("snapshots of a period", partial(_kept_ranks, period))
    return PeriodHead(
        name_of_period(period, at),
        str(period.get_state_display()),
        _sentence(period, at),
        until if is_counted else None,
        int((until - at).total_seconds()) if until is not None and is_counted else 0,
        starts_later,
        list(_times(period)),
        [*_facts(period), *(kept.value or [])],
        budget.read("whether a period is live", partial(liveness_of_period, period)),
        budget.read("the best of a period", partial(best_of, request, period)),
    )


def name_of_period(period: Period, at: datetime) -> str:
    """Return the name of a period as the public pages have it; that of a competition's is the competition's."""
    if period.board.is_event:
        return period_in_words(period)
    return period_title(period.board, period_info(period), at)


def grace_until(period: Period) -> datetime | None:
    """Return until when late scores are taken; None where none are."""
    if period.ends_at is None or period.board.is_event or not period.board.grace_seconds:
        return None
    return period.ends_at + timedelta(seconds=period.board.grace_seconds)


def _sentence(period: Period, at: datetime) -> str:
    if period.state in OVER_STATES:
        return _over(period)
    if period.state == PeriodState.CLOSING:
        return _("It takes no scores any more, and its ranks are being made final.")
    if period.starts_at is not None and period.starts_at > at:
        return _("It has not begun: it takes scores from its start on.")
    if period.ends_at is None:
        return _("It takes scores, and never ends.")
    return _("It takes scores until its end.") if at < period.ends_at else _ended(period, at)


def _ended(period: Period, at: datetime) -> str:
    late = grace_until(period)
    if late is None or late <= at:
        return _("It is over, and waits to be closed.")
    left = formats.time_left(int((late - at).total_seconds()))
    return _("It is over. Scores from before its end are taken for %(left)s more.") % {"left": left}


def _over(period: Period) -> str:
    closed = on_the_boards_clock(period.closed_at, period.board, year=True) if period.closed_at else ""
    final = _("Final since %(when)s: its ranks change no more.") if closed else _("Final: its ranks change no more.")
    gone = _("Redis has forgotten it; SQL keeps its ranks.") if period.state == PeriodState.EXPIRED else ""
    return f"{final % {'when': closed}} {gone}".strip()


def _times(period: Period) -> Iterator[Fact]:
    ends = ((_("Starts"), period.starts_at), (_("Ends"), period.ends_at), (_("Late scores until"), grace_until(period)))
    for name, moment in ends:
        if moment is not None:
            yield name, on_the_boards_clock(moment, period.board, year=True)
    if period.starts_at is not None or period.ends_at is not None:
        yield _("Time zone"), period.board.timezone


def _facts(period: Period) -> Iterator[Fact]:
    yield _("Rules it opened with"), rules_in_words(period.board, period.rules)
    if period.state in OVER_STATES and period.content_hash:
        yield _("Content hash"), format_html("<code>{}</code>", period.content_hash)


def _kept_ranks(period: Period) -> list[Fact]:
    """How many moments of the ranks are kept, and the latest; nothing before the first."""
    taken = PeriodSnapshot.objects.filter(period=period)
    latest = taken.order_by("-due_at").first()
    if latest is None:
        return []
    number = taken.count()
    text = ngettext("of %(number)s moment, the latest %(when)s", "of %(number)s moments, the latest %(when)s", number)
    when = on_the_boards_clock(latest.taken_at, period.board, year=True)
    return [(_("Ranks are kept"), text % {"number": formats.number(number), "when": when})]


def ways_of(period: Period, *, lists_standings: bool) -> list[tuple[str, str]]:
    """Return addresses and names of the pages about a period: its standings, the public page."""
    ways = []
    if lists_standings:
        standings = f"{reverse('admin:leaderboards_standing_changelist')}?period__id__exact={period.pk}"
        ways.append((standings, _("All standings")))
    ways.append((reverse("admin:leaderboards_board_change", args=[period.board_id]), _("The board")))
    if not period.board.is_event and (period.starts_at is None or period.starts_at <= clock.now()):
        ways.append((f"{reverse('board', args=[period.board_id])}?period={period.label}", _("See the page")))
    return ways
