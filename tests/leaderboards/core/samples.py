"""Calendars, windows, layouts and standings that the tests of the core draw or name.

The zones are the odd ones on purpose; the values are near each other as often as far apart.
"""

from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from hypothesis import reject
from hypothesis import strategies as st

from leaderboards.core.instants import from_milliseconds, milliseconds
from leaderboards.core.packing.layout import Layout, choose_layout
from leaderboards.core.periods import Calendar, PeriodKind, Window, event_window, window_at, window_of, zone_names
from leaderboards.core.ranking.rules import Criterion, Order, Rules, TieBreak, Ties
from leaderboards.errors import BadBoard

ALL_TIME = window_of(Calendar(PeriodKind.ALL_TIME), "all")
STAGE = Criterion("stage", 2**15 - 1, Order.DESC)
MEMBERS = Criterion("members", 2**16 - 1, Order.ASC)
WHEN = Criterion("achieved_at", 2**32 - 1, Order.ASC, "s")
DERIVED = (PeriodKind.DAY, PeriodKind.WEEK, PeriodKind.MONTH, PeriodKind.YEAR)
CUTOFFS = (time(0, 0), time(2, 30), time(23, 59))
# Offsets of 45 minutes, jumps of two hours, a skipped day, a clock that turns back for Ramadan, jumps
# at midnight and at -01:00, half an hour of summer time, changes of the standard offset.
ODD_ZONES = (
    *("Pacific/Chatham", "Antarctica/Troll", "Pacific/Apia", "Africa/Casablanca", "America/Scoresbysund"),
    *("Australia/Lord_Howe", "America/Sao_Paulo", "America/Havana", "Asia/Gaza", "Africa/Cairo"),
    *("Europe/London", "America/New_York", "Asia/Seoul", "Asia/Pyongyang", "Asia/Kathmandu", "Europe/Dublin"),
    *("America/Caracas", "Pacific/Kwajalein", "Pacific/Kiritimati", "Africa/Monrovia", "Antarctica/Casey"),
)

zones = st.one_of(st.sampled_from(ODD_ZONES), st.sampled_from(sorted(zone_names())))
cutoffs = st.one_of(st.sampled_from(CUTOFFS), st.times().map(lambda t: t.replace(second=0, microsecond=0)))
calendars = st.builds(Calendar, st.sampled_from(DERIVED), zones, st.integers(0, 6), cutoffs)
instants = st.integers(32_000_000_000, 3_800_000_000_000).map(from_milliseconds)  # 1971 to 2090


def utc(year: int, month: int, day: int, hour: int = 0, minute: int = 0) -> datetime:
    return datetime(year, month, day, hour, minute, tzinfo=UTC)


def in_zone(zone: str, day: date, clock: time = time(0), fold: int = 0) -> datetime:
    return datetime.combine(day, clock, ZoneInfo(zone)).replace(fold=fold).astimezone(UTC)


starts = st.integers(1_000_000_000_000, 2_050_000_000_000).map(from_milliseconds)  # 2001 to 2034
spans = st.timedeltas(timedelta(seconds=2), timedelta(days=400))
windows = st.one_of(
    st.just(ALL_TIME),
    st.builds(lambda start, span: event_window(7, start, start + span), starts, spans),
    st.builds(window_at, calendars, starts),
)
orders, tie_rules, tie_breaks = st.sampled_from(Order), st.sampled_from(Ties), st.sampled_from(TieBreak)
whens = st.builds(Criterion, st.just("achieved_at"), st.just(2**43 - 1), orders, st.sampled_from(["s", "ms"]))


@st.composite
def criteria_lists(draw: st.DrawFn) -> tuple[Criterion, ...]:
    maxima = draw(st.lists(st.one_of(st.integers(1, 9), st.integers(1, 2**53 - 1)), min_size=1, max_size=4))
    criteria = [Criterion(f"c{n}", maximum, draw(orders)) for n, maximum in enumerate(maxima)]
    if draw(st.booleans()):
        criteria.insert(draw(st.integers(0, len(criteria))), draw(whens))
    return tuple(criteria)


@st.composite
def layouts(draw: st.DrawFn, of_points: bool | None = None, by_time: bool | None = None) -> Layout:
    low = draw(st.integers(-1000, 1000))
    total = low + draw(st.one_of(st.integers(0, 9), st.integers(0, 2**52)))
    of_points = draw(st.booleans()) if of_points is None else of_points
    rules = Rules(
        order=draw(orders),
        ties=draw(tie_rules if by_time is None else tie_rules.filter(lambda ties: ties.by_time == by_time)),
        tie_break=draw(tie_breaks),
        criteria=() if of_points else draw(criteria_lists()),
        minimum=low,
        maximum=total,
        total_maximum=total,
    )
    try:
        return choose_layout(rules, draw(windows))
    except BadBoard:
        reject()


@st.composite
def lua_layouts(draw: st.DrawFn) -> Layout:
    total = draw(st.integers(0, 2**16 - 1))  # which leaves room for the milliseconds of 400 days
    rules = Rules(
        order=draw(orders),
        ties=draw(st.sampled_from([Ties.FIRST_COME, Ties.LAST_COME])),
        tie_break=draw(st.sampled_from([TieBreak.AUTO, TieBreak.SCORE])),
        minimum=-5,
        maximum=total,
        total_maximum=total,
    )
    return choose_layout(rules, draw(windows.filter(lambda window: window != ALL_TIME)))


def standings(chosen: Layout, window: Window) -> st.SearchStrategy[tuple[tuple[int, ...], int, str]]:
    """Values near each other and far apart, at times of the window, of players whose ids are awkward."""
    rules = chosen.rules
    limits = [(0, each.maximum) for each in rules.fields] or [(rules.minimum, rules.total_maximum)]
    parts = [st.one_of(st.integers(low, min(high, low + 2)), st.integers(low, high)) for low, high in limits]
    start = milliseconds(window.starts_at) if window.starts_at else 1_000_000_000_000
    end = milliseconds(window.ends_at) - 1 if window.ends_at else 2_000_000_000_000
    times = st.one_of(st.integers(start, min(start + 2000, end)), st.integers(start, end))
    players = st.one_of(
        st.sampled_from(["a", "a_", "_", "a_b", "9", "가", "é", "Z"]), st.text("ab_0가", min_size=1, max_size=5)
    )
    return st.tuples(st.tuples(*parts), times, players)
