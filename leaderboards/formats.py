"""Format numbers, durations, dates and periods for people, in the active language.

Times are UTC and are shown in the board's zone, never the server's.
"""

from collections.abc import Iterable
from datetime import date, datetime
from decimal import Decimal
from functools import cache, lru_cache
from typing import NamedTuple
from zoneinfo import ZoneInfo

from django.utils.dateformat import format as spell
from django.utils.formats import number_format
from django.utils.translation import get_language, gettext_noop, ngettext, pgettext
from django.utils.translation import gettext as _

from leaderboards.core.periods import PeriodKind, Window, days_of
from leaderboards.core.ranking.criteria import ACHIEVED_AT
from leaderboards.models import Board, Unit
from leaderboards.selectors import PeriodInfo

Number = int | Decimal


class WindowEnds(NamedTuple):
    """The start and the end of a window as text, and what stands between them."""

    start: str
    between: str
    end: str


_MINUTE, _HOUR, _DAY = 60, 3600, 86_400
_SIZES = (_DAY, _HOUR, _MINUTE, 1)
# For languages in which Django has no short names of days (Korean): its ``D`` finds these in our catalogue.
SHORT_DAYS = (
    *(gettext_noop("Mon"), gettext_noop("Tue"), gettext_noop("Wed"), gettext_noop("Thu")),
    *(gettext_noop("Fri"), gettext_noop("Sat"), gettext_noop("Sun")),
)
_SYMBOLS = {Unit.METRES.value: "m", Unit.KILOMETRES.value: "km"}


def number(value: Number, decimals: int = 0) -> str:
    """12,345 or 12.50: at least ``decimals`` decimals, and all that the value has."""
    exact = Decimal(value)
    exponent = exact.as_tuple().exponent
    own_decimals = -exponent if isinstance(exponent, int) and exponent < 0 else 0
    places = max(decimals, own_decimals)
    if _formats_like_python(get_language()):
        return f"{exact:,.{places}f}"
    return str(number_format(value, decimal_pos=places, use_l10n=True, force_grouping=True))


@cache
def _formats_like_python(_language: str | None) -> bool:
    """Whether numbers look as Python formats them, which takes a twentieth of the time of Django's function."""
    return number_format(Decimal("-1234567.5"), decimal_pos=2, use_l10n=True, force_grouping=True) == "-1,234,567.50"


def place(rank: int, *, tied: bool) -> str:
    """12,345, or =12,345 for a shared rank: for plain texts, which have no tooltip to explain it."""
    return f"={number(rank)}" if tied else number(rank)


def ordinal(rank: int) -> str:
    """1st, 22nd, 113th."""
    last = 0 if rank % 100 in (11, 12, 13) else rank % 10
    patterns = {
        1: pgettext("ordinal that ends in 1, not 11", "#st"),
        2: pgettext("ordinal that ends in 2, not 12", "#nd"),
        3: pgettext("ordinal that ends in 3, not 13", "#rd"),
    }
    return patterns.get(last, pgettext("ordinal, all others", "#th")).replace("#", number(rank))


def duration(seconds: Decimal, places: int) -> str:
    """1:05, 1:02:05 or 1:05.250."""
    whole, fraction = divmod(abs(seconds), 1)
    minutes, rest = divmod(int(whole), _MINUTE)
    hours, minutes = divmod(minutes, _MINUTE)
    text = f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"
    tail = f"{fraction:.{places}f}"[1:] if places else ""
    return f"{'-' if seconds < 0 else ''}{text}{tail}"


def points(board: Board, value: Number) -> str:
    """Points in the board's unit, without its symbol."""
    return duration(*time) if (time := _time_of(board, value)) else number(value, board.decimals)


def _time_of(board: Board, value: Number) -> tuple[Decimal, int] | None:
    """The seconds of a result that is a time, and their decimals."""
    if board.unit == Unit.SECONDS:
        return Decimal(value), board.decimals
    return (Decimal(value) / 1000, 3 + board.decimals) if board.unit == Unit.MILLISECONDS else None


def gap(board: Board, apart: Number, *, with_unit: bool = False) -> str:
    """How far two results are apart. As in sport, a time below a minute is its seconds: 0.297, with unit 0.297 s."""
    time = _time_of(board, apart)
    if time and time[0] < _MINUTE:
        seconds = f"{time[0]:.{time[1]}f}"
        return duration_units()[-1].replace("#", seconds) if with_unit else seconds
    return points_with_unit(board, apart) if with_unit else points(board, apart)


def points_with_unit(board: Board, value: Number) -> str:
    """Points with their unit, for a sentence: 12,345 points, 3.20 km, 1:05.250."""
    text = points(board, value)
    if suffix := board.format or _SYMBOLS.get(board.unit, ""):
        return f"{text} {suffix}"
    if board.unit == Unit.POINTS:
        amount = abs(int(value)) if value == int(value) else 2
        return ngettext("%(number)s point", "%(number)s points", amount) % {"number": text}
    return text


def points_heading(board: Board) -> str:
    """The heading of a column of points."""
    if board.format:
        return board.format
    if board.unit in (Unit.SECONDS, Unit.MILLISECONDS):
        return pgettext("a result", "Time")
    return _SYMBOLS.get(board.unit) or _("Points")


def field_name(name: str) -> str:
    """A criterion's name as words."""
    return name.replace("_", " ")


def named_number(name: str, value: int) -> str:
    """A criterion's name and value."""
    return f"{field_name(name)} {number(value)}"


def named_distance(name: str, apart: int) -> str:
    """How far two values of a criterion are apart, for a sentence: 14 stages."""
    shown = field_name(name)
    if get_language() in {None, "en"} and apart != 1:
        shown = _english_plural(shown)
    return f"{number(apart)} {shown}"


def _english_plural(noun: str) -> str:
    """The plural of a game's word; as it is if it ends in s, in no letter, or is an abbreviation such as XP."""
    if len(noun) < 3 or not noun[-1].isalpha() or noun[-1] == "s" or noun.isupper():
        return noun
    if noun.endswith(("x", "ch", "sh")):
        return f"{noun}es"
    return f"{noun[:-1]}ies" if noun[-1] == "y" and noun[-2] not in "aeiou" else f"{noun}s"


def shown_fields(fields: Iterable[str]) -> list[str]:
    """The criteria that get a column each, all but the time, which has its own."""
    return [name for name in fields if name != ACHIEVED_AT]


def time_left(seconds: int) -> str:
    """A duration in its two greatest units: 6 d 4 h, 4 h 12 min, 12 min 5 s, 5 s."""
    units = duration_units()
    first = next((nth for nth, size in enumerate(_SIZES) if seconds >= size), len(_SIZES) - 1)
    parts = [units[first].replace("#", str(seconds // _SIZES[first]))]
    if first + 1 < len(_SIZES):
        parts.append(units[first + 1].replace("#", str(seconds % _SIZES[first] // _SIZES[first + 1])))
    return " ".join(parts)


def whole_duration(seconds: int) -> str:
    """A duration in all its units but those of which it has none: 2 d 4 h, 90 min as 1 h 30 min."""
    parts = []
    for unit, size in zip(duration_units(), _SIZES, strict=True):
        number_of, seconds = divmod(seconds, size)
        if number_of:
            parts.append(unit.replace("#", str(number_of)))
    return " ".join(parts)


def duration_units() -> list[str]:
    """Patterns for days, hours, minutes and seconds, with # for the number; the page's countdown uses them too."""
    return [
        pgettext("days, short", "# d"),
        pgettext("hours, short", "# h"),
        pgettext("minutes, short", "# min"),
        pgettext("seconds, short", "# s"),
    ]


def moment(at: datetime, zone: str) -> str:
    """Fri 20 Nov, 14:03 on the zone's clock."""
    return _format_minute(at.replace(second=0, microsecond=0), zone, get_language())


@lru_cache(maxsize=8192)
def _format_minute(at: datetime, zone: str, _language: str | None) -> str:
    """Format a minute; cached, since every answer of a board has the same ones, which was a fifth of its cost."""
    return spell(at.astimezone(ZoneInfo(zone)), pgettext("date format", "D j M, H:i"))


def date_and_time(at: datetime, zone: str, now: datetime, *, seconds: bool = False) -> str:
    """Fri 20 Nov, 14:03, or 14:03:05 with ``seconds``; with the year if that is not ``now``'s in the zone."""
    local = at.astimezone(ZoneInfo(zone))
    is_this_year = local.year == now.astimezone(ZoneInfo(zone)).year
    if seconds:
        this_year, other = pgettext("date format", "D j M, H:i:s"), pgettext("date format", "D j M Y, H:i:s")
        return spell(local, this_year if is_this_year else other)
    return moment(at, zone) if is_this_year else spell(local, pgettext("date format", "D j M Y, H:i"))


def time_or_date(at: datetime, zone: str, now: datetime) -> str:
    """14:03 on the zone's clock, with the day if that is not ``now``'s."""
    local = at.astimezone(ZoneInfo(zone))
    return f"{local:%H:%M}" if local.date() == now.astimezone(ZoneInfo(zone)).date() else moment(at, zone)


def iso_utc(at: datetime) -> str:
    """2026-11-20T14:03:05Z, for the attribute of a ``<time>``. ``at`` must be UTC."""
    return f"{at:%Y-%m-%dT%H:%M:%SZ}"


def time_of_day(at: datetime, zone: str) -> str:
    """14:03:05 on the zone's clock."""
    return at.astimezone(ZoneInfo(zone)).strftime("%H:%M:%S")


def period_dates(board: Board, period: PeriodInfo, today: date) -> str:
    """The days of a period: Fri 20 Nov, 16–22 Nov, November 2026, 2026. Empty for all time.

    Windows of a schedule have their times too: Fri 20 Nov, 12:00–14:00.
    """
    if ends := window_ends(board, period, today):
        return "".join(ends)
    days = days_of(board.calendar, Window(period.label, period.starts_at, period.ends_at))
    if days is None:
        return ""
    first, last = days
    if board.period == PeriodKind.YEAR:
        return str(first.year)
    if board.period == PeriodKind.MONTH:
        return spell(first, pgettext("date format", "F Y"))
    if first == last:
        return _one_day(first, today)
    return _span(first, last, today)


def window_ends(board: Board, period: PeriodInfo, today: date) -> WindowEnds | None:
    """The ends of a schedule's window: Fri 20 Nov, 12:00–14:00, or Fri 20 Nov, 18:00 – Sun 22 Nov, 22:00; else None."""
    if board.period != PeriodKind.SCHEDULE or not period.starts_at or not period.ends_at:
        return None
    start, end = (each.astimezone(ZoneInfo(board.timezone)) for each in (period.starts_at, period.ends_at))
    first = f"{_one_day(start.date(), today)}, {start:%H:%M}"
    if start.date() == end.date():
        return WindowEnds(first, "–", f"{end:%H:%M}")
    return WindowEnds(first, " – ", f"{_one_day(end.date(), today)}, {end:%H:%M}")


def period_name(board: Board, running: bool) -> str:
    """This week, Today … for the running period; Week, Day … for others."""
    current = {
        PeriodKind.DAY: _("Today"),
        PeriodKind.WEEK: _("This week"),
        PeriodKind.MONTH: _("This month"),
        PeriodKind.YEAR: _("This year"),
        PeriodKind.ALL_TIME: _("All time"),
        PeriodKind.EVENT: _("Event"),
        PeriodKind.SCHEDULE: _("Open now"),
    }
    other = {
        PeriodKind.DAY: pgettext("a period", "Day"),
        PeriodKind.WEEK: pgettext("a period", "Week"),
        PeriodKind.MONTH: pgettext("a period", "Month"),
        PeriodKind.YEAR: pgettext("a period", "Year"),
        PeriodKind.SCHEDULE: pgettext("a period", "Window"),
    }
    kind = PeriodKind(board.period)
    return current[kind] if running else other.get(kind, current[kind])


def day_of(at: datetime, zone: str, now: datetime) -> str:
    """The day of a moment on the zone's clock: Fri 20 Nov, with the year if that is not ``now``'s."""
    return _one_day(at.astimezone(ZoneInfo(zone)).date(), now.astimezone(ZoneInfo(zone)).date())


def _one_day(day: date, today: date) -> str:
    same_year = day.year == today.year
    return spell(day, pgettext("date format", "D j M") if same_year else pgettext("date format", "D j M Y"))


def _span(first: date, last: date, today: date) -> str:
    if (first.year, first.month) == (last.year, last.month):
        start = spell(first, pgettext("date format, first day of several in one month", "j"))
        end = spell(last, pgettext("date format, last day of several in one month", "j M"))
        text = f"{start}–{end}"
    else:
        day_and_month = pgettext("date format", "j M")
        text = f"{spell(first, day_and_month)} – {spell(last, day_and_month)}"
    if last.year == today.year:
        return text
    return pgettext("dates and year", "%(dates)s %(year)d") % {"dates": text, "year": last.year}
