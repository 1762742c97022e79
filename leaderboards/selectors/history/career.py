"""What a player has finished on public boards: records, streaks and medals of the latest periods.

Bounded: the ``MOST_BOARDS`` boards that they played on last, and the latest ``MOST_PERIODS`` periods of each. An answer
is cached for a minute for each player and viewer; a ban or restriction of anybody changes the key, so that who is
hidden leaves an answer at once. Event boards are left out: competitions show their ranks, and may hide them.
"""

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from django.db.models import Count, Max, Subquery, Value

from foundation.db.resilience import SqlAway, StaleIfErrorCache
from leaderboards.core.career import MEDALS, TOP, Streak, medals, streak
from leaderboards.core.periods import PeriodKind
from leaderboards.core.ranking.rules import Rules
from leaderboards.models import (
    OVER_STATES,
    BanRecord,
    FinalStanding,
    Period,
    Player,
    Restriction,
    Visibility,
)
from leaderboards.models import Standing as CurrentStanding
from leaderboards.selectors.catalog.periods import PeriodInfo, period_info
from leaderboards.selectors.history.final_ranks import tied_q
from leaderboards.selectors.history.rivals import Rival, find_rivals
from leaderboards.selectors.history.visible_ranks import shown_ranks
from leaderboards.selectors.visibility.restrictions import current_viewer, restricted

CACHE_SECONDS = 60.0
MOST_CACHED = 500  # careers, of some 30 KB each
MOST_BOARDS, MOST_PERIODS = 10, 100
MOST_POINTS = 30  # of a chart
MOST_TROPHIES = 24
_Key = tuple[int, str | None, tuple[Any, ...] | None]  # player, viewer, state of bans and restrictions


@dataclass(frozen=True, slots=True)
class FinishedPeriod:
    """A player's shown rank in a final period of a board (by number); ``tied`` if others share it."""

    board: int
    period: PeriodInfo
    rank: int
    tied: bool

    @property
    def at(self) -> datetime:
        """The end of the period."""
        return self.period.ends_at or datetime.max.replace(tzinfo=UTC)  # only periods that end become final


@dataclass(frozen=True, slots=True)
class BestScore:
    """A player's best final score on a board, and its period."""

    period: PeriodInfo
    points: int | Decimal | None
    fields: dict[str, int] | None


@dataclass(frozen=True, slots=True)
class BoardRecord:
    """What a player has finished on a board: ``finishes`` are their latest, the earliest first.

    ``played``, ``top`` and ``first`` are streaks of periods in which they were ranked, among the first ten, and first.
    ``is_cut`` if the board has more final periods than were looked at.
    """

    board: int
    periods: int
    best: FinishedPeriod
    score: BestScore | None
    played: Streak
    top: Streak
    first: Streak
    finishes: tuple[FinishedPeriod, ...]
    is_cut: bool


@dataclass(frozen=True, slots=True)
class Career:
    """Records by board, the one played last first; medals by rank; the latest trophies; and rivals."""

    records: tuple[BoardRecord, ...] = ()
    medals: tuple[tuple[int, int], ...] = ()
    trophies: tuple[FinishedPeriod, ...] = ()
    rivals: tuple[Rival, ...] = ()


NO_CAREER = Career()


def career_of(player: Player) -> Career:
    """Return the career of a player as the current viewer may see it; an empty one while SQL is unavailable."""
    with suppress(SqlAway):
        return _cache.get((player.pk, current_viewer(), _state_of_restrictions(player))) or NO_CAREER
    return NO_CAREER


def clear_career_cache() -> None:
    """Empty the cache."""
    _cache.forget()


def _state_of_restrictions(player: Player) -> tuple[Any, ...] | None:
    """Return values that differ after each ban, restriction and end of one, with one statement."""
    running = Restriction.objects.filter(Restriction.RUNNING).order_by()
    number = running.values(everything=Value(1)).annotate(number=Count("pk")).values("number")
    state = Player.objects.filter(pk=player.pk).values_list(
        Subquery(BanRecord.objects.order_by("-pk").values("pk")[:1]),
        Subquery(running.order_by("-pk").values("pk")[:1]),
        Subquery(number),
    )
    return state.first()


def _load(keys: Collection[_Key]) -> dict[_Key, Career]:
    return {key: _career(key[0]) for key in keys}


def _career(player: int) -> Career:
    periods = {board: _final_periods(board) for board in _boards_of(player)}
    rows = _own_rows(player, [period.pk for each in periods.values() for period in each])
    ranks = shown_ranks(rows.values())
    finished: list[FinishedPeriod] = []
    records = []
    for board, latest_first in periods.items():
        own = [_finished(period, rows[period.pk], ranks) for period in latest_first[::-1] if period.pk in rows]
        if own:
            finished += own
            records.append(_record(board, latest_first, own, rows))
    finished.sort(key=_end, reverse=True)
    records.sort(key=lambda record: _end(record.finishes[-1]), reverse=True)
    return Career(
        records=tuple(records),
        medals=tuple(medals(each.rank for each in finished).items()),
        trophies=tuple([each for each in finished if each.rank in MEDALS][:MOST_TROPHIES]),
        rivals=tuple(find_rivals(player, [(each.period_id, each.place) for each in rows.values()])),
    )


def _boards_of(player: int) -> list[int]:
    """Return the numbers of the public boards with a calendar that the player has standings on, the latest first."""
    played = CurrentStanding.objects.filter(player=player, period__board__visibility=Visibility.PUBLIC)
    played = played.exclude(period__board__period__in=(PeriodKind.EVENT, PeriodKind.ALL_TIME)).order_by()
    latest = played.values("period__board").annotate(last=Max("period__ends_at")).order_by("-last", "period__board")
    return list(latest.values_list("period__board", flat=True)[:MOST_BOARDS])


def _final_periods(board: int) -> list[Period]:
    """Return the latest final periods in which anybody was ranked, the latest first."""
    over = Period.objects.filter(board=board, state__in=OVER_STATES, ends_at__isnull=False, players__gt=0)
    return list(over.order_by("-ends_at")[:MOST_PERIODS])


def _own_rows(player: int, periods: Collection[int]) -> dict[int, Any]:
    """Return the player's visible final standings by period, each with ``tied``."""
    rows = FinalStanding.objects.filter(period__in=periods, player=player)
    visible = rows.exclude(restricted("period__board", period="period"))
    return {row.period_id: row for row in visible.annotate(tied=tied_q())}


def _finished(period: Period, row: Any, ranks: Mapping[int, int]) -> FinishedPeriod:
    return FinishedPeriod(period.board_id, period_info(period), ranks[period.pk], row.tied)


def _end(finished: FinishedPeriod) -> tuple[datetime, int]:
    return finished.at, finished.board


def _record(
    board: int, latest_first: Sequence[Period], own: Sequence[FinishedPeriod], rows: Mapping[int, Any]
) -> BoardRecord:
    by_label = {each.period.label: each.rank for each in own}
    ranks = [by_label.get(period.label) for period in latest_first[::-1]]
    return BoardRecord(
        board=board,
        periods=len(own),
        best=min(own, key=lambda each: (each.rank, each.tied, -each.at.timestamp())),
        score=_best_score([period for period in latest_first if period.pk in rows], rows),
        played=streak(ranks, lambda _: True),
        top=streak(ranks, lambda rank: rank <= TOP),
        first=streak(ranks, lambda rank: rank == 1),
        finishes=tuple(own[-MOST_POINTS:]),
        is_cut=len(latest_first) == MOST_PERIODS,
    )


def _best_score(latest_first: Sequence[Period], rows: Mapping[int, Any]) -> BestScore | None:
    """Return the best score, the latest of equal ones; only periods with the rules of the latest one are compared."""
    rules = latest_first[0].rules
    alike = [period for period in latest_first if _measure(period.rules) == _measure(rules)]
    values = [(period, period.layout.unpack(rows[period.pk].score, rows[period.pk].member).value) for period in alike]
    period, value = min(values, key=lambda each: rules.sort_key(each[1]))
    return BestScore(period_info(period), *rules.shown(value))


def _measure(rules: Rules) -> tuple[Any, ...]:
    return rules.order, rules.criteria, rules.decimals


_cache: StaleIfErrorCache[_Key, Career] = StaleIfErrorCache(_load, fresh=CACHE_SECONDS, most=MOST_CACHED)
