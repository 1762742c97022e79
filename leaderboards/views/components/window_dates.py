"""Dates of periods for pages; the ends of a schedule's window are ``<time>`` elements, so that pages can convert them.

Attributes cannot hold elements: their dates name the zone instead.
"""

from datetime import datetime
from zoneinfo import ZoneInfo

from django.utils.html import conditional_escape, format_html
from django.utils.safestring import SafeString

from leaderboards import formats
from leaderboards.models import Board
from leaderboards.selectors import PeriodInfo


def dates_html(board: Board, period: PeriodInfo, at: datetime, *, names_zone: bool = False) -> SafeString:
    """Render the dates of a period as of ``at`` (UTC); empty for all time.

    Windows of a schedule have clock times, followed by the zone's name with ``names_zone``.
    """
    today = at.astimezone(ZoneInfo(board.timezone)).date()
    ends = formats.window_ends(board, period, today)
    if ends is None or period.starts_at is None or period.ends_at is None:
        return conditional_escape(formats.period_dates(board, period, today))
    starts_at, ends_at = formats.iso_utc(period.starts_at), formats.iso_utc(period.ends_at)
    # The end has its date too if the reader's clock shows another one than at the start.
    dates = format_html(
        '<time datetime="{}">{}</time>{}<time datetime="{}" data-after="{}">{}</time>',
        *(starts_at, ends.start, ends.between, ends_at, starts_at, ends.end),
    )
    return format_html('{} <span class="zone">{}</span>', dates, board.timezone) if names_zone else dates


def dates_text(board: Board, period: PeriodInfo, at: datetime) -> str:
    """Return the dates of a period for an attribute; those of a schedule with the zone of their clock times."""
    today = at.astimezone(ZoneInfo(board.timezone)).date()
    dates = formats.period_dates(board, period, today)
    return f"{dates} {board.timezone}" if formats.window_ends(board, period, today) else dates
