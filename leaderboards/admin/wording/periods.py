"""Periods as text for admin pages: by their dates or the name of their competition, as the public pages name them."""

from collections.abc import Collection, Mapping
from datetime import datetime
from zoneinfo import ZoneInfo

from django.utils.translation import gettext as _

from foundation import clock
from leaderboards import formats
from leaderboards.core.periods import PeriodKind
from leaderboards.models import Board, Period
from leaderboards.selectors.catalog.periods import PeriodInfo, period_info
from leaderboards.services import events


def period_in_words(period: Period) -> str:
    """Describe a period: its dates in the board's time zone, the name of its competition, or "all time"."""
    return periods_in_words([period])[period.pk]


def periods_in_words(periods: Collection[Period]) -> dict[int, str]:
    """Describe periods likewise, by their numbers: at most one statement for all. Their boards must be loaded."""
    at = clock.now()
    events_of = {period.pk: competition_of(period.label) for period in periods if period.board.is_event}
    names = events.source().names(set(events_of.values())) if events_of else {}
    return {
        period.pk: _event_name(names, events_of[period.pk])
        if period.board.is_event
        else dates_in_words(period.board, period_info(period), at)
        for period in periods
    }


def _event_name(names: Mapping[int, str], number: int) -> str:
    return names.get(number) or _("competition %(number)s") % {"number": number}


def dates_in_words(board: Board, period: PeriodInfo, at: datetime) -> str:
    """Return the dates of a period as of ``at`` (UTC), on the board's calendar; the name of one without dates."""
    today = at.astimezone(ZoneInfo(board.timezone)).date()
    return formats.period_dates(board, period, today) or formats.period_name(board, running=True)


def period_title(board: Board, period: PeriodInfo, at: datetime) -> str:
    """Return the name of a calendar period with its dates, as the public page has them: This week, 23–29 Nov."""
    dates = dates_in_words(board, period, at)
    if board.period == PeriodKind.ALL_TIME or (period.starts_at is not None and period.starts_at > at):
        return dates
    is_running = period.ends_at is None or at < period.ends_at
    return f"{formats.period_name(board, is_running)}, {dates}"


def competition_of(label: str) -> int:
    """Return the number of a competition, from the label of its period or of the frozen copy."""
    return int(label.removeprefix("c").partition("-")[0])
