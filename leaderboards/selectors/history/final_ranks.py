"""Periods that are over: who won them, where players stood, and a player's way from period to period.

Final ranks alone, which no later score can change. While SQL is silent there are none. The trap: events are
left out everywhere, since their ranks are shown by competitions, which may hide them.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from itertools import islice, takewhile
from typing import Any, TypeVar

from django.db.models import Case, Count, Exists, F, Min, OuterRef, Q, QuerySet, When

from foundation.db.resilience import SqlAway, ask
from leaderboards.core.input.names import display_name
from leaderboards.core.periods import PeriodKind
from leaderboards.core.ranking.rules import Ties
from leaderboards.models import Board, FinalStanding, Period, PeriodState, Player, Visibility
from leaderboards.selectors.catalog.periods import PeriodInfo, period_info
from leaderboards.selectors.exports.period_rows import visible_final_ranking
from leaderboards.selectors.player_data.personal_data import final_standings_of
from leaderboards.selectors.visibility.hidden import hidden_in
from leaderboards.selectors.visibility.restrictions import restricted, visible_q

Answer = TypeVar("Answer")

MOST_PERIODS = 30
_OVER = (PeriodState.FINAL, PeriodState.EXPIRED)  # whose final ranks stay for ever


@dataclass(frozen=True, slots=True)
class PastRank:
    """A player's final rank in a period that ended ``at``; ``tied`` where others share it."""

    at: datetime
    rank: int
    label: str
    tied: bool = False


@dataclass(frozen=True, slots=True)
class BestRank:
    """The best final rank that a player ever had on a board, and in how many periods they were ranked; ``tied`` where
    they never had it alone."""

    board: Board
    rank: int
    periods: int
    tied: bool = False


@dataclass(frozen=True, slots=True)
class FinalPlace:
    """A player in their place in a final period, ``tied`` where others share it, with what they had."""

    board: Board
    period: PeriodInfo
    player: str
    name: str
    rank: int
    tied: bool
    points: int | Decimal | None
    fields: dict[str, int] | None


def ranks_before(board: Board, starts_at: datetime | None, players: Collection[str]) -> dict[str, int]:
    """The final ranks of ``players``, of those who are shown, in the period that ended when this one began, among
    those who are shown there; empty if it is not final."""
    if starts_at is None or not players or board.is_event:
        return {}
    return _asked(lambda: _ranks_in(board, starts_at, players), {})


def _ranks_in(board: Board, ended_at: datetime, players: Collection[str]) -> dict[str, int]:
    over = Period.objects.select_related("board").filter(board=board, ends_at=ended_at, state__in=_OVER).first()
    if over is None:
        return {}
    out = hidden_in(over)
    rows = FinalStanding.objects.filter(period=over, player__external_id__in={*players, *out})
    ranks = dict(rows.values_list("player__external_id", "rank"))
    left = [ranks.pop(player) for player in out & ranks.keys()]
    gone = sorted(_vacated(over, left, out))
    return {player: rank - bisect_left(gone, rank) for player, rank in ranks.items()}


def _vacated(period: Period, ranks: Collection[int], out: Collection[str]) -> Collection[int]:
    """Of the ``ranks`` of those who are ``out`` the ones behind which everybody moves up; where ranks are dense, those
    that nobody else shares."""
    if period.rules.ties is not Ties.DENSE:
        return ranks
    shared = FinalStanding.objects.filter(period=period, rank__in=ranks).exclude(player__external_id__in=out)
    return {*ranks} - {*shared.values_list("rank", flat=True)} if ranks else ranks


def past_ranks(board: Board, player: str) -> list[PastRank]:
    """A player's final ranks in the latest ``MOST_PERIODS`` final periods of a board, the earliest first; none of
    somebody who is not shown on it."""
    if board.is_event:
        return []
    latest = Period.objects.filter(board=board, state__in=_OVER, ends_at__isnull=False).order_by("-ends_at")
    own = FinalStanding.objects.filter(visible_q(board.seq, period="period"), player__external_id=player)
    rows = own.filter(period__in=latest.values("pk")[:MOST_PERIODS]).annotate(tied=_tied())
    found = rows.order_by("period__ends_at").values_list("period__ends_at", "rank", "period__label", "tied")
    return _asked(lambda: [PastRank(at, *rest) for at, *rest in found if at is not None], [])


def best_ranks(player: Player) -> list[BestRank]:
    """Their best final rank on each public board with periods of its own, the best first."""
    alone_first = Min(F("rank") * 2 + Case(When(_tied(), then=1), default=0))
    best = _finals_of(player).order_by().values("period__board").annotate(best=alone_first, periods=Count("period"))
    found = list(best.values_list("period__board", "best", "periods"))
    boards = Board.objects.in_bulk([seq for seq, _, _ in found])
    ranks = [BestRank(boards[seq], best // 2, periods, best % 2 == 1) for seq, best, periods in found]
    return sorted(ranks, key=lambda each: (each.rank, each.board.seq))


def final_places(player: Player, offset: int, limit: int) -> tuple[list[FinalPlace], int]:
    """Their final ranks on public boards with periods of their own, the latest first, and how many there are."""
    rows = _finals_of(player)
    page = rows.annotate(tied=_tied())[offset : offset + limit]
    return [_place(row, tied=row.tied) for row in page], rows.count()


def winners(board: Board, labels: Collection[str], most: int) -> dict[str, list[FinalPlace]]:
    """Who shares the first rank in the final ones among these periods of a board, at most so many, by label."""
    rows = FinalStanding.objects.filter(period__board=board, period__label__in=labels, place__lte=most, rank=1)
    over = rows.filter(period__state__in=_OVER).annotate(is_out=~visible_q(board.seq, period="period"))
    found = over.select_related("period__board", "player").order_by("place")
    return _asked(lambda: _won(found, most), {})


def last_winners(board: Board, most: int) -> list[FinalPlace]:
    """Who shares the first rank in the latest final period of a board in which anybody was ranked, at most so many."""
    if board.is_event:
        return []
    first = FinalStanding.objects.filter(period=OuterRef("pk"), place=1)
    over = Period.objects.filter(Exists(first), board=board, state__in=_OVER, ends_at__isnull=False)
    label = _asked(over.order_by("-ends_at").values_list("label", flat=True).first, None)
    return [] if label is None else winners(board, [label], most).get(label, [])


def _won(found: Iterable[Any], most: int) -> dict[str, list[FinalPlace]]:
    """By label; where somebody among them is not shown, those who are shown are ranked anew."""
    first: dict[str, list[Any]] = defaultdict(list)  # with ``is_out``
    for row in found:
        first[row.period.label].append(row)
    for label, rows in first.items():
        if any(row.is_out for row in rows):
            first[label] = _first_shown(rows[0].period, most)
    return {label: [_place(row, tied=len(rows) > 1) for row in rows] for label, rows in first.items()}


def _first_shown(period: Period, most: int) -> list[FinalStanding]:
    first = islice(takewhile(lambda ranked: ranked[0] == 1, visible_final_ranking(period)), most)
    players = [row.player_id for _, row in first]
    shown = list(period.final_standings.filter(player__in=players).select_related("player").order_by("place"))
    for row in shown:
        row.rank, row.period = 1, period
    return shown


def _finals_of(player: Player) -> QuerySet[FinalStanding]:
    rows = final_standings_of(player).filter(period__state__in=_OVER, period__board__visibility=Visibility.PUBLIC)
    own = rows.exclude(restricted("period__board", period="period")).exclude(period__board__period=PeriodKind.EVENT)
    return own.select_related("period__board", "player").order_by("-period__ends_at", "period__board")


def _tied() -> Q:
    """Whether somebody else who is shown shares the rank. Of equals one may stand in the place that their rank names;
    an index of its own leads to the others."""
    equals = FinalStanding.objects.filter(
        visible_q("period__board", period="period"), period=OuterRef("period"), rank=OuterRef("rank")
    ).exclude(player=OuterRef("player"))
    return Q(Exists(equals.filter(place=OuterRef("rank")))) | Q(Exists(equals.filter(rank__lt=F("place"))))


def _place(row: FinalStanding, *, tied: bool) -> FinalPlace:
    period, player = row.period, row.player
    had = period.rules.shown(period.layout.unpack(row.score, row.member).value)
    name = display_name(player.name, player.external_id)
    return FinalPlace(period.board, period_info(period), player.external_id, name, row.rank, tied, *had)


def _asked(question: Callable[[], Answer], otherwise: Answer) -> Answer:
    with suppress(SqlAway):
        return ask(question)
    return otherwise
