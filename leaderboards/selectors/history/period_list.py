"""The periods of a board as a list that is read in pages: the newest first, with their players and winners.

A page costs at most seven SQL statements and one round trip to Redis, however many rows it has. The order is the start,
then the label, both by an index; a window in which nobody has played has no row.
"""

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal

from django.db.models import Count, OuterRef, Q, QuerySet, Subquery

from foundation.db.resilience import ask
from foundation.messages import Message
from leaderboards.core.input.names import display_name
from leaderboards.core.ranking.gaps import NO_ENDS, Gap, PageEnds
from leaderboards.errors import BadCursor
from leaderboards.models import OVER_STATES, Board, FinalStanding, Period
from leaderboards.selectors.catalog.periods import PeriodInfo, period_info
from leaderboards.selectors.rankings.cursor_pages import CursorPage
from leaderboards.selectors.rankings.store_routing import totals
from leaderboards.selectors.visibility.restrictions import visible_q
from leaderboards.stores.base import Page

MOST_WINNERS = 5
MOST_HIDDEN_SKIPPED = 100  # hidden players of the first rank that are looked behind
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class Winner:
    """A player of the first rank of a final period, with points or fields."""

    player: str
    name: str
    points: int | Decimal | None
    fields: dict[str, int] | None


@dataclass(frozen=True, slots=True)
class ListedPeriod:
    """A period, its players, and up to ``MOST_WINNERS`` players of the first rank; None before it is final.

    ``players`` is None while DynamoDB has them and does not answer.
    """

    period: PeriodInfo
    players: int | None
    winners: list[Winner] | None


@dataclass(frozen=True, slots=True)
class PeriodPage:
    """A page of a board's periods, the newest first; ``total`` counts all that have begun."""

    total: int
    rows: list[ListedPeriod]
    ends: PageEnds


def period_page(board: Board, page: Page | CursorPage, at: datetime) -> PeriodPage:
    """Return a page of the periods that have begun by ``at``. Raises ``SqlAway``, ``TooMany`` or ``BadCursor``."""
    begun = Period.objects.filter(board=board).exclude(starts_at__gt=at)
    rows, ends = ask(lambda: _by_offset(begun, page) if isinstance(page, Page) else _by_cursor(begun, page))
    for row in rows:
        row.board = board
    players = totals(rows)
    over = [row for row in rows if row.state in OVER_STATES]
    won = ask(lambda: _winners(board, over)) if over else {}
    total = ask(begun.count)
    listed = [
        ListedPeriod(period_info(row), players.get(row.pk), won.get(row.pk, []) if row.state in OVER_STATES else None)
        for row in rows
    ]
    return PeriodPage(total, listed, ends)


def _by_offset(begun: QuerySet[Period], page: Page) -> tuple[list[Period], PageEnds]:
    rows = list(begun.order_by("-starts_at", "-label")[page.offset : page.offset + page.limit + 1])
    return _cut(rows[: page.limit], bool(page.offset), len(rows) > page.limit)


def _by_cursor(begun: QuerySet[Period], page: CursorPage) -> tuple[list[Period], PageEnds]:
    """Read one row more in the direction of the page, and look whether there is one in the other."""
    above, below = _sides(page.gap)
    if page.is_backward:
        found = list(begun.filter(above).order_by("starts_at", "label")[: page.limit + 1])
        shown = found[: page.limit][::-1]
        has_above, has_below = len(found) > page.limit, begun.filter(below).exists()
    else:
        found = list(begun.filter(below).order_by("-starts_at", "-label")[: page.limit + 1])
        shown = found[: page.limit]
        has_above, has_below = begun.filter(above).exists(), len(found) > page.limit
    if not shown:
        return [], PageEnds(page.gap if has_above else None, page.gap if has_below else None)
    return _cut(shown, has_above, has_below)


def _cut(rows: list[Period], has_above: bool, has_below: bool) -> tuple[list[Period], PageEnds]:
    if not rows:
        return [], NO_ENDS
    first, last = _gap(rows[0], is_after=False), _gap(rows[-1], is_after=True)
    return rows, PageEnds(first if has_above else None, last if has_below else None)


def _gap(period: Period, *, is_after: bool) -> Gap:
    """Return the gap beside a period: its start in microseconds, and its label in the place of a player."""
    since_epoch = (period.starts_at or _EPOCH) - _EPOCH  # all time has no start, and no neighbours
    return Gap((since_epoch // _MICROSECOND,), None, period.label, is_after)


def _sides(gap: Gap) -> tuple[Q, Q]:
    """Return the conditions of the periods before the gap, which are newer, and behind it. Raises ``BadCursor``."""
    try:
        (microseconds,) = gap.value
        starts_at = _EPOCH + microseconds * _MICROSECOND
    except (ValueError, OverflowError) as error:
        raise BadCursor(Message("This is no cursor of a list of periods: send it exactly as it came.")) from error
    newer = Q(starts_at__gt=starts_at) | Q(starts_at=starts_at, label__gt=gap.player)
    older = Q(starts_at__lt=starts_at) | Q(starts_at=starts_at, label__lt=gap.player)
    itself = Q(starts_at=starts_at, label=gap.player)
    return (newer | itself, older) if gap.is_after else (newer, older | itself)


def _winners(board: Board, periods: Sequence[Period]) -> dict[int, list[Winner]]:
    """Return by period (pk) the visible players of the first rank, as everybody sees them: at most four statements."""
    firsts = _rows(board, periods, place__lte=MOST_WINNERS, rank=1)
    # If one of the first rank is hidden, more of it may stand behind: then, and if all are, look from the first visible
    # one. Where somebody holds the first place, and is the only one, nothing is read again.
    again = [period for period in periods if period.players and not _is_complete(firsts.get(period.pk, []))]
    found = {pk: [row for row in rows if not row.is_out] for pk, rows in firsts.items()}
    if again:
        found |= _first_visible(board, again)
    by_pk = {period.pk: period for period in periods}
    return {pk: [_winner(by_pk[pk], row) for row in rows[:MOST_WINNERS]] for pk, rows in found.items()}


def _is_complete(rows: Sequence["_Row"]) -> bool:
    return bool(rows) and not any(row.is_out for row in rows)


def _first_visible(board: Board, periods: Sequence[Period]) -> dict[int, list["_Row"]]:
    visible = FinalStanding.objects.filter(visible_q(board.seq, period="period"), period=OuterRef("pk"))
    first = Subquery(visible.order_by("place").values("place")[:1])
    places = Period.objects.filter(pk__in=[each.pk for each in periods]).annotate(first=first).order_by()
    starts = {pk: place for pk, place in places.values_list("pk", "first") if place is not None}
    out = FinalStanding.objects.filter(~visible_q(board.seq, period="period"), period__in=starts)
    hidden = dict(out.values_list("period").annotate(Count("place")).order_by())
    lengths = {pk: MOST_WINNERS + min(hidden.get(pk, 0), MOST_HIDDEN_SKIPPED) for pk in starts}
    wanted = [(pk, place + nth) for pk, place in starts.items() for nth in range(lengths[pk])]
    rows = _rows(board, periods, pk__in=wanted) if wanted else {}
    shown = {pk: [row for row in found if not row.is_out] for pk, found in rows.items()}
    return {pk: [row for row in found if row.rank == found[0].rank] for pk, found in shown.items() if found}


@dataclass(frozen=True, slots=True)
class _Row:
    rank: int
    score: float
    member: str
    player: str
    name: str
    is_out: bool


def _rows(board: Board, periods: Collection[Period], **where: object) -> dict[int, list[_Row]]:
    """Return final standings by period, best first, each with whether its player is hidden."""
    rows = FinalStanding.objects.filter(period__in=[each.pk for each in periods], **where)
    marked = rows.annotate(is_out=~visible_q(board.seq, period="period")).order_by("period", "place")
    columns = ("period", "rank", "score", "member", "player__external_id", "player__name", "is_out")
    found: dict[int, list[_Row]] = defaultdict(list)
    for period, *row in marked.values_list(*columns):
        found[period].append(_Row(*row))
    return found


def _winner(period: Period, row: _Row) -> Winner:
    points, fields = period.rules.shown(period.layout.unpack(row.score, row.member).value)
    return Winner(row.player, display_name(row.name, row.player), points, fields)
