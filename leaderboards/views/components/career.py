"""A player's career as their page shows it: medals, trophies, a card for each board, and rivals. Reads no ranks."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import quote

from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from leaderboards import formats
from leaderboards.core.career import MEDALS, Streak
from leaderboards.core.periods import PeriodKind
from leaderboards.models import Board, Player
from leaderboards.selectors import PeriodInfo
from leaderboards.selectors.history.career import BoardRecord, Career, FinishedPeriod
from leaderboards.selectors.history.rivals import Rival
from leaderboards.views.components.line_chart import Chart, chart
from leaderboards.views.components.table_rows import result
from leaderboards.views.components.trophies import Trophy
from leaderboards.views.components.window_dates import dates_html

LEAST_STREAK = 2  # a single period is no streak


@dataclass(frozen=True, slots=True)
class Medal:
    """How many final places of one rank a player has."""

    rank: int
    number: int


@dataclass(frozen=True, slots=True)
class Fact:
    """A line of a record: what, its value, and when or how it stands now."""

    term: str
    value: str
    note: SafeString | str = ""


@dataclass(frozen=True, slots=True)
class Place:
    """A final rank with the dates of its period, for the table beside a chart."""

    finished: FinishedPeriod
    dates: SafeString


@dataclass(frozen=True, slots=True)
class RecordCard:
    """A board with a player's records there. ``chart`` is None with fewer than two final ranks."""

    board: Board
    best: FinishedPeriod
    periods: int
    facts: list[Fact]
    chart: Chart | None
    places: list[Place]
    is_cut: bool


@dataclass(frozen=True, slots=True)
class Passed:
    """The last change of order: ``first`` passed ``second`` on a board, in a period with these dates."""

    first: Player
    second: Player
    board: Board
    dates: SafeString


@dataclass(frozen=True, slots=True)
class RivalLine:
    """A rival: how often next to the player, who was ahead how often, and who passed whom last."""

    player: Player
    next_to: str
    ahead: int
    behind: int
    share: int
    passed: "Passed | None"


def medals_of(career: Career, elsewhere: Iterable[Trophy]) -> list[Medal]:
    """Count final places among the first three, the first ones first; empty if there are none."""
    counted = Counter(dict(career.medals)) + Counter(trophy.rank for trophy in elsewhere)
    return [Medal(rank, counted[rank]) for rank in MEDALS if counted[rank]]


def trophies_of(career: Career, boards: Mapping[int, Board], player: Player, at: datetime) -> list[Trophy]:
    """Return the latest trophies of boards, each with the address of its period."""
    return [_trophy(each, boards[each.board], player, at) for each in career.trophies if each.board in boards]


def _trophy(won: FinishedPeriod, board: Board, player: Player, at: datetime) -> Trophy:
    when = dates_html(board, won.period, at, names_zone=True)
    return Trophy(won.rank, won.tied, board, board.name, period_address(board, won.period, player), when, won.at)


def period_address(board: Board, period: PeriodInfo, player: Player) -> str:
    """Return the address of a period with the player's row."""
    named = quote(player.external_id, safe="")
    return f"{reverse('board', args=[board.seq])}?period={period.label}&player={named}#me"


def record_cards(career: Career, boards: Mapping[int, Board], at: datetime) -> list[RecordCard]:
    """Return a card for each board, the one that was played last first."""
    return [_card(record, boards[record.board], at) for record in career.records if record.board in boards]


def _card(record: BoardRecord, board: Board, at: datetime) -> RecordCard:
    places = [Place(each, dates_html(board, each.period, at)) for each in record.finishes[::-1]]
    return RecordCard(
        board=board,
        best=record.best,
        periods=record.periods,
        facts=_facts(record, board, at),
        chart=chart(record.finishes),
        places=places,
        is_cut=record.is_cut,
    )


def _facts(record: BoardRecord, board: Board, at: datetime) -> list[Fact]:
    facts = []
    if record.score is not None:
        facts.append(Fact(_("Best score"), result(board, record.score), dates_html(board, record.score.period, at)))
    if record.first.longest:
        facts.append(_streak_fact(_("Longest in first place"), record.first, board, least=1))
    if record.top.longest >= LEAST_STREAK and record.top.longest > record.first.longest:
        facts.append(_streak_fact(_("Longest in the top ten"), record.top, board))
    if record.played.longest >= LEAST_STREAK:
        facts.append(_streak_fact(_("Played in a row"), record.played, board))
    return facts


def _streak_fact(term: str, run: Streak, board: Board, least: int = LEAST_STREAK) -> Fact:
    now = ""
    if run.current >= least:
        is_longest = run.current == run.longest
        now = _("and counting") if is_longest else _("now %(run)s") % {"run": periods_text(board, run.current)}
    return Fact(term, periods_text(board, run.longest), now)


def periods_text(board: Board, number: int) -> str:
    """Format a number of periods of a board: 3 weeks."""
    patterns = {
        PeriodKind.DAY: ngettext("%(number)s day", "%(number)s days", number),
        PeriodKind.WEEK: ngettext("%(number)s week", "%(number)s weeks", number),
        PeriodKind.MONTH: ngettext("%(number)s month", "%(number)s months", number),
        PeriodKind.YEAR: ngettext("%(number)s year", "%(number)s years", number),
    }
    other = ngettext("%(number)s time", "%(number)s times", number)
    return patterns.get(PeriodKind(board.period), other) % {"number": formats.number(number)}


def rival_lines(
    rivals: Sequence[Rival], players: Mapping[int, Player], boards: Mapping[int, Board], player: Player, at: datetime
) -> list[RivalLine]:
    """Return a line for each rival among ``players``, which holds those who may be shown."""
    return [_rival_line(each, players[each.player], boards, player, at) for each in rivals if each.player in players]


def _rival_line(rival: Rival, other: Player, boards: Mapping[int, Board], player: Player, at: datetime) -> RivalLine:
    score = rival.score
    times = ngettext("%(number)s time side by side", "%(number)s times side by side", rival.next_to)
    decided = score.ahead + score.behind
    return RivalLine(
        player=other,
        next_to=times % {"number": formats.number(rival.next_to)},
        ahead=score.ahead,
        behind=score.behind,
        share=round(20 * score.ahead / decided) if decided else 10,
        passed=_passed(rival, other, boards, player, at),
    )


def _passed(rival: Rival, other: Player, boards: Mapping[int, Board], player: Player, at: datetime) -> Passed | None:
    if rival.passed_on is None or rival.passed_on[0] not in boards:
        return None
    board, period = boards[rival.passed_on[0]], rival.passed_on[1]
    first, second = (player, other) if rival.score.passed_last else (other, player)
    return Passed(first, second, board, dates_html(board, period, at))
