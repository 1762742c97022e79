"""Final ranks of periods that are over: where players stood before, and a player's way from period to period.

Final ranks alone, which no later score can change. While SQL is silent there are none. The trap: events are
left out everywhere, since their ranks are shown by competitions, which may hide them.
"""

from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

from foundation.sql import SqlAway, ask
from leaderboards.models import Board, FinalStanding, Period, Player, State, Visibility
from leaderboards.selectors.kept import final_standings_of

Answer = TypeVar("Answer")

MOST_PERIODS = 30


@dataclass(frozen=True, slots=True)
class PastRank:
    """A player's final rank in a period that ended ``at``."""

    at: datetime
    rank: int
    label: str


@dataclass(frozen=True, slots=True)
class BestRank:
    """The best final rank that a player ever had on a board, and in how many periods he was ranked."""

    board: Board
    rank: int
    periods: int


def ranks_before(board: Board, starts_at: datetime | None, players: Collection[str]) -> dict[str, int]:
    """The final ranks of ``players`` in the period that ended when this one began; empty if it is not final."""
    if starts_at is None or not players or board.is_event:
        return {}
    before = Period.objects.filter(board=board, ends_at=starts_at, state=State.FINAL).values("pk")[:1]
    rows = FinalStanding.objects.filter(period=before, player__external_id__in=players)
    return _asked(lambda: dict(rows.values_list("player__external_id", "rank")), {})


def past_ranks(board: Board, player: str) -> list[PastRank]:
    """A player's final ranks in the latest ``MOST_PERIODS`` final periods of a board, the earliest first."""
    if board.is_event:
        return []
    latest = Period.objects.filter(board=board, state=State.FINAL, ends_at__isnull=False).order_by("-ends_at")
    rows = FinalStanding.objects.filter(period__in=latest.values("pk")[:MOST_PERIODS], player__external_id=player)
    found = rows.order_by("period__ends_at").values_list("period__ends_at", "rank", "period__label")
    return _asked(lambda: [PastRank(at, rank, label) for at, rank, label in found if at is not None], [])


def best_ranks(player: Player) -> list[BestRank]:
    """His best final rank on each public board with periods of its own, the best first."""
    rows = final_standings_of(player).filter(period__state=State.FINAL, period__board__visibility=Visibility.PUBLIC)
    best: dict[int, tuple[int, int]] = {}
    for seq, rank in rows.values_list("period__board", "rank"):
        known, periods = best.get(seq, (rank, 0))
        best[seq] = (min(known, rank), periods + 1)
    boards = {board.seq: board for board in Board.objects.filter(seq__in=best) if not board.is_event}
    found = [BestRank(boards[seq], *best[seq]) for seq in best if seq in boards]
    return sorted(found, key=lambda each: (each.rank, each.board.seq))


def _asked(question: Callable[[], Answer], otherwise: Answer) -> Answer:
    with suppress(SqlAway):
        return ask(question)
    return otherwise
