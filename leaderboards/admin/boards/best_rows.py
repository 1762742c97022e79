"""The best rows of a period for admin pages, each with a link to its player."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.http import HttpRequest
from django.urls import reverse

from foundation import clock
from leaderboards import formats
from leaderboards.admin.base.permissions import may_see
from leaderboards.models import Board, Period, Player
from leaderboards.selectors import Row, Standings
from leaderboards.selectors.catalog.periods import period_info
from leaderboards.selectors.rankings.standings import Answers, read_period
from leaderboards.stores.base import Page

SHOWN = 5


@dataclass(frozen=True, slots=True)
class BestRow:
    """A row: the rank ("=2" for a shared one), the name, the result with its unit, and the player's page."""

    rank: str
    name: str
    result: str
    address: str


@dataclass(frozen=True, slots=True)
class Best:
    """The best rows, the number of ranked players, and whether they are live."""

    rows: Sequence[BestRow]
    total: int
    live: bool


def best_of(request: HttpRequest, period: Period) -> Best:
    """Return the best rows of a period. Raises ``Unavailable`` if no store can answer."""
    result = read_period(period, [Page(0, SHOWN)])
    answers = Answers(period.board, period, period_info(period), result, clock.now())
    return best_in(request, answers.standings(0))


def best_in(request: HttpRequest, standings: Standings) -> Best:
    """Return the best rows of standings that begin with the first rank."""
    first = standings.rows[:SHOWN]
    addresses = _addresses(request, [row.player for row in first])
    rows = [
        BestRow(_rank(row), row.name, result_in_words(standings.board, row), addresses[row.player]) for row in first
    ]
    return Best(rows, standings.total, standings.live)


def result_in_words(board: Board, row: Row) -> str:
    """Return points with their unit, or the values of the criteria: 12,345 points; stages 3, falls 1."""
    if row.points is not None:
        return formats.points_with_unit(board, row.points)
    fields = row.fields or {}
    return ", ".join(formats.named_number(name, fields[name]) for name in formats.shown_fields(fields))


def _rank(row: Row) -> str:
    return "–" if row.rank is None else formats.place(row.rank, tied=(row.tied or 1) > 1)


def _addresses(request: HttpRequest, players: Sequence[str]) -> Mapping[str, str]:
    """Return the players' pages in the admin, by id; the public ones for those who may not see players there."""
    public = {player: reverse("player", args=[player]) for player in players}
    if not players or not may_see(request, Player):
        return public
    numbers = Player.objects.filter(external_id__in=players).values_list("external_id", "pk")
    return public | {player: reverse("admin:leaderboards_player_change", args=[number]) for player, number in numbers}
