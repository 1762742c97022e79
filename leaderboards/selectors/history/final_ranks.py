"""Final ranks of closed periods: winners, the ranks of a player, and their change from period to period.

While SQL is unavailable the results are empty. Event boards are excluded everywhere: competitions show their ranks,
and may hide them.
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

from django.db.models import Exists, F, OuterRef, Q, QuerySet

from foundation.db.resilience import SqlAway, ask
from leaderboards.core.input.names import display_name
from leaderboards.core.periods import PeriodKind
from leaderboards.core.ranking.rules import Ties
from leaderboards.models import OVER_STATES, Board, FinalStanding, Period, Player, Visibility
from leaderboards.selectors.catalog.periods import PeriodInfo, period_info
from leaderboards.selectors.exports.period_rows import visible_final_ranking
from leaderboards.selectors.history.visible_ranks import shown_ranks
from leaderboards.selectors.player_data.personal_data import final_standings_of
from leaderboards.selectors.visibility.hidden import hidden_in
from leaderboards.selectors.visibility.restrictions import restricted, visible_q

Answer = TypeVar("Answer")

MOST_PERIODS = 30


@dataclass(frozen=True, slots=True)
class PastRank:
    """A player's final rank in a period that ended ``at``; ``tied`` if others share it."""

    at: datetime
    rank: int
    label: str
    tied: bool = False


@dataclass(frozen=True, slots=True)
class FinalPlace:
    """A player's rank and value in a final period; ``tied`` if others share the rank."""

    board: Board
    period: PeriodInfo
    player: str
    name: str
    rank: int
    tied: bool
    points: int | Decimal | None
    fields: dict[str, int] | None


def ranks_before(board: Board, starts_at: datetime | None, players: Collection[str]) -> dict[str, int]:
    """Return the final ranks of ``players`` in the period that ended at ``starts_at``; empty if it is not final.

    Only visible players are returned and counted.
    """
    if starts_at is None or not players or board.is_event:
        return {}
    return _ask_or_default(lambda: _ranks_in(board, starts_at, players), {})


def _ranks_in(board: Board, ended_at: datetime, players: Collection[str]) -> dict[str, int]:
    over = Period.objects.select_related("board").filter(board=board, ends_at=ended_at, state__in=OVER_STATES).first()
    if over is None:
        return {}
    hidden = hidden_in(over)
    rows = FinalStanding.objects.filter(period=over, player__external_id__in={*players, *hidden})
    ranks = dict(rows.values_list("player__external_id", "rank"))
    hidden_ranks = [ranks.pop(player) for player in hidden & ranks.keys()]
    vacated = sorted(_vacated(over, hidden_ranks, hidden))
    return {player: rank - bisect_left(vacated, rank) for player, rank in ranks.items()}


def _vacated(period: Period, ranks: Collection[int], hidden: Collection[str]) -> Collection[int]:
    """Return those ``ranks`` of hidden players behind which others move up; a dense rank only if nobody else has it."""
    if period.rules.ties is not Ties.DENSE:
        return ranks
    shared = FinalStanding.objects.filter(period=period, rank__in=ranks).exclude(player__external_id__in=hidden)
    return {*ranks} - {*shared.values_list("rank", flat=True)} if ranks else ranks


def past_ranks(board: Board, player: str) -> list[PastRank]:
    """Return a player's final ranks in the latest ``MOST_PERIODS`` final periods of a board, the earliest first.

    Empty for a player who is hidden on the board.
    """
    if board.is_event:
        return []
    latest = Period.objects.filter(board=board, state__in=OVER_STATES, ends_at__isnull=False).order_by("-ends_at")
    own = FinalStanding.objects.filter(visible_q(board.seq, period="period"), player__external_id=player)
    rows = own.filter(period__in=latest.values("pk")[:MOST_PERIODS]).annotate(tied=tied_q())
    columns = rows.order_by("period__ends_at").values_list("period__ends_at", "rank", "period__label", "tied")
    return _ask_or_default(lambda: [PastRank(at, *rest) for at, *rest in columns if at is not None], [])


def final_places(player: Player, offset: int, limit: int) -> tuple[list[FinalPlace], int]:
    """Return one page of a player's final ranks on public boards, the latest first, and their total number."""
    rows = _finals_of(player)
    page = list(rows.annotate(tied=tied_q())[offset : offset + limit])
    ranks = shown_ranks(page)
    for row in page:
        row.rank = ranks[row.period_id]
    return [_place(row, tied=row.tied) for row in page], rows.count()


def winners(board: Board, labels: Collection[str], most: int) -> dict[str, list[FinalPlace]]:
    """Return by label up to ``most`` players of the first rank in those of these periods that are final."""
    rows = FinalStanding.objects.filter(period__board=board, period__label__in=labels, place__lte=most, rank=1)
    over = rows.filter(period__state__in=OVER_STATES).annotate(is_out=~visible_q(board.seq, period="period"))
    firsts = over.select_related("period__board", "player").order_by("place")
    return _ask_or_default(lambda: _winners_by_label(firsts, most), {})


def last_winners(board: Board, most: int) -> list[FinalPlace]:
    """Return up to ``most`` players of the first rank in the latest final period that has ranked players."""
    if board.is_event:
        return []
    first = FinalStanding.objects.filter(period=OuterRef("pk"), place=1)
    over = Period.objects.filter(Exists(first), board=board, state__in=OVER_STATES, ends_at__isnull=False)
    label = _ask_or_default(over.order_by("-ends_at").values_list("label", flat=True).first, None)
    return [] if label is None else winners(board, [label], most).get(label, [])


def _winners_by_label(firsts: Iterable[Any], most: int) -> dict[str, list[FinalPlace]]:
    """Group rows of the first rank by label. If one of them is hidden, rank the visible players of that period anew."""
    by_label: dict[str, list[Any]] = defaultdict(list)  # rows with ``is_out``
    for row in firsts:
        by_label[row.period.label].append(row)
    for label, rows in by_label.items():
        if any(row.is_out for row in rows):
            by_label[label] = _visible_winners(rows[0].period, most)
    return {label: [_place(row, tied=len(rows) > 1) for row in rows] for label, rows in by_label.items()}


def _visible_winners(period: Period, most: int) -> list[FinalStanding]:
    first = islice(takewhile(lambda ranked: ranked[0] == 1, visible_final_ranking(period)), most)
    players = [row.player_id for _, row in first]
    rows = list(period.final_standings.filter(player__in=players).select_related("player").order_by("place"))
    for row in rows:
        row.rank, row.period = 1, period
    return rows


def _finals_of(player: Player) -> QuerySet[FinalStanding]:
    rows = final_standings_of(player).filter(period__state__in=OVER_STATES, period__board__visibility=Visibility.PUBLIC)
    own = rows.exclude(restricted("period__board", period="period")).exclude(period__board__period=PeriodKind.EVENT)
    return own.select_related("period__board", "player").order_by("-period__ends_at", "period__board")


def tied_q() -> Q:
    """The condition that another visible player shares the rank.

    Of players with the same rank at most one has the place of that number; the others have greater places, and are
    found by an index of their own (``rank < place``).
    """
    equals = FinalStanding.objects.filter(
        visible_q("period__board", period="period"), period=OuterRef("period"), rank=OuterRef("rank")
    ).exclude(player=OuterRef("player"))
    return Q(Exists(equals.filter(place=OuterRef("rank")))) | Q(Exists(equals.filter(rank__lt=F("place"))))


def _place(row: FinalStanding, *, tied: bool) -> FinalPlace:
    period, player = row.period, row.player
    value = period.rules.shown(period.layout.unpack(row.score, row.member).value)
    name = display_name(player.name, player.external_id)
    return FinalPlace(period.board, period_info(period), player.external_id, name, row.rank, tied, *value)


def _ask_or_default(question: Callable[[], Answer], default: Answer) -> Answer:
    with suppress(SqlAway):
        return ask(question)
    return default
