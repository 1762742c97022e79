"""Team and division standings, computed from the rows of players that the viewer may see, at one moment.

Rows are read from SQL in one statement, so on redis boards they are about a second behind. They are computed and cached
for the label that may be shown (``selectors/standings/standings.py``), so nothing that a freeze hides is in them.
Memberships are the present ones: a player who is moved counts in the new team at once, also during a freeze.
"""

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from fractions import Fraction

from django.db.models import Count

from competitions.core.group_standings import (
    Formula,
    PlayerPlace,
    TeamPlace,
    TeamRules,
    division_places,
    team_standings,
)
from competitions.models import Competition, Participant, Team, TeamScore
from competitions.selectors.standings import standings as of_players
from foundation.caching.micro_cache import MicroCache
from leaderboards import selectors
from leaderboards.core.input.points import points_number, scaled
from leaderboards.core.instants import milliseconds
from leaderboards.core.ranking.gaps import NO_ENDS, Gap, PageEnds
from leaderboards.core.ranking.rules import Rules
from leaderboards.errors import UnknownPeriod
from leaderboards.models import Period
from leaderboards.selectors import Row, Standings
from leaderboards.selectors.catalog.periods import period_by_label
from leaderboards.selectors.rankings.cursor_pages import CursorPage
from leaderboards.selectors.rankings.metadata import is_metadata_wanted, metadata_of
from leaderboards.selectors.visibility.restrictions import current_viewer, visible_q
from leaderboards.stores.base import Page, stands_before

AVERAGE_DECIMALS = 2  # in addition to the decimals of points
MOST_CACHED_ROWS = 150_000  # of all competitions together, in each process; about 0.7 kB each

_Value = tuple[int | Decimal | None, dict[str, int] | None]


@dataclass(frozen=True, slots=True)
class TeamRow:
    """A team's row; rank, ties and value are None while no member has a score.

    ``members`` is how many take part in it, ``counted`` how many of them make up its value; ``achieved_at`` is when it
    reached that value.
    """

    team: int
    name: str
    rank: int | None
    tied: int | None
    points: int | Decimal | None
    fields: dict[str, int] | None
    achieved_at: datetime | None
    members: int
    counted: int

    @classmethod
    def without_score(cls, team: int, name: str, members: int) -> "TeamRow":
        """Return the row of a team in which no member has a score."""
        return cls(team, name, None, None, None, None, None, members, 0)


@dataclass(frozen=True, slots=True)
class DivisionRow:
    """A player's row with the place within the division; ``row.rank`` is the overall place."""

    row: Row
    rank: int
    tied: int
    ahead: int


@dataclass(frozen=True, slots=True)
class GroupStandings:
    """Teams and divisions at one moment. ``scored`` are each team's rows, best first; ``team_of`` is by player id.

    ``period`` is the one that the rows are of; None without one.
    """

    teams: list[TeamRow]
    scored: dict[int, list[Row]]
    team_of: dict[str, int]
    divisions: dict[int, list[DivisionRow]]
    rows: int
    period: Period | None = None

    def row_of(self, team: Team) -> TeamRow:
        """Return a team's row; one without a score for a team that is newer than this answer."""
        rows = (each for each in self.teams if each.team == team.pk)
        return next(rows, TeamRow.without_score(team.pk, team.name, 0))


_cache: MicroCache[tuple[int, str, str | None], tuple[datetime, GroupStandings]] = MicroCache(
    MOST_CACHED_ROWS, lambda found: found[1].rows, ttl_per_cost=4
)


def group_standings(competition: Competition, at: datetime, full: bool = False) -> tuple[datetime, GroupStandings]:
    """Return the time of the data, and the competition by teams and divisions, as the viewer may see it."""

    def question(label: str) -> tuple[datetime, GroupStandings]:
        return _cache.get_or_compute((competition.pk, label, current_viewer()), lambda: _compute(competition, label))

    try:
        return of_players.read_visible(competition, at, question, full)
    except UnknownPeriod:
        return at, _by_groups(competition, [], competition.board.rules)


def clear_group_standings(competition: Competition | None = None) -> None:
    """Clear this process's cache after a player was moved, hidden or shown again; None clears all competitions."""
    if competition is None:
        _cache.forget()
    else:
        _cache.forget(lambda key: key[0] == competition.pk)


def division_page(
    competition: Competition, division: int, at: datetime, rows: Page | CursorPage
) -> tuple[Standings, list[DivisionRow]]:
    """Return a page of a division: its standings, with the division's total, and its rows with both places.

    Raises ``BadCursor``.
    """
    head = of_players.standings(competition, at, 0, 1)
    as_of, groups = group_standings(competition, at)
    division_rows = groups.divisions.get(division, [])
    first, last = _bounds(groups.period, division_rows, rows)
    page = _with_metadata(competition, at, division_rows[first:last])
    is_past_end = isinstance(rows, Page) and not page
    ends = NO_ENDS if is_past_end else _page_ends(groups.period, division_rows, first, last)
    head = replace(head, total=len(division_rows), rows=[each.row for each in page], as_of=as_of, ends=ends)
    return head, page


def _with_metadata(competition: Competition, at: datetime, rows: Sequence[DivisionRow]) -> list[DivisionRow]:
    """Return the rows with their metadata, if it is wanted, of the standings that may be shown. Raises ``SqlAway``."""
    if not rows or not is_metadata_wanted():
        return list(rows)
    players = [each.row.player for each in rows]

    def question(label: str) -> tuple[datetime, dict[str, str]]:
        period = period_by_label(competition.board, label)
        return at, {} if period is None else metadata_of(period, players)

    _, found = of_players.read_visible(competition, at, question)
    return [replace(each, row=replace(each.row, metadata=found.get(each.row.player))) for each in rows]


def _bounds(period: Period | None, rows: Sequence[DivisionRow], page: Page | CursorPage) -> tuple[int, int]:
    """Return the indexes of the first row of the page, and of the one behind its last."""
    if isinstance(page, Page):
        first = page.offset
    elif period is None:
        return 0, 0
    else:
        gap = page.gap
        first = bisect_left(rows, True, key=lambda each: not stands_before(period, _standing_of(period, each.row), gap))
        if page.is_backward:
            return max(0, first - page.limit), first
    return first, first + page.limit


def _page_ends(period: Period | None, rows: Sequence[DivisionRow], first: int, last: int) -> PageEnds:
    """Return the gaps at the ends of the rows ``first`` to ``last - 1``; of an empty page the nearest ones."""
    if period is None or not rows:
        return NO_ENDS
    above = rows[min(first, len(rows)) - 1] if first else None
    below = rows[max(last, first)] if last < len(rows) else None
    return PageEnds(
        None if above is None else replace(_standing_of(period, above.row), is_after=True),
        None if below is None else _standing_of(period, below.row),
    )


def _standing_of(period: Period, row: Row) -> Gap:
    """Return the gap before a row."""
    rules = period.rules
    value = (
        (scaled(row.points or 0, rules.decimals),)
        if row.fields is None
        else tuple(row.fields[criterion.name] for criterion in rules.fields)
    )
    at_ms = None if row.achieved_at is None else milliseconds(row.achieved_at)
    return Gap(value, at_ms, row.player, is_after=False)


def _compute(competition: Competition, label: str) -> tuple[datetime, GroupStandings]:
    as_of, rows = selectors.export_rows(competition.board, label)
    period = period_by_label(competition.board, label)
    rules = competition.board.rules if period is None else period.rules
    return as_of, replace(_by_groups(competition, list(rows), rules), period=period)


def _by_groups(competition: Competition, rows: Sequence[Row], rules: Rules) -> GroupStandings:
    team_of, division_of = _read_memberships(competition)
    places = _team_places(competition, rows, rules, team_of) if competition.has_teams else []
    scored = {each.team: [rows[index] for index in each.scored] for each in places}
    best = {team: team_members[0] for team, team_members in scored.items()}
    teams = team_rows(competition, rules, places, best) if competition.has_teams else []
    return GroupStandings(teams, scored, team_of, _by_division(rows, division_of, rules), len(rows))


def team_rules(competition: Competition, rules: Rules) -> TeamRules:
    """Return how its teams rank, by its settings and the rules of its period."""
    return TeamRules(Formula(competition.team_score), rules.order, rules.ties, competition.team_counts)


def player_place(row: Row, rules: Rules) -> PlayerPlace:
    """Convert a row to the input of the team ranking."""
    return PlayerPlace(row.player, row.rank or 0, scaled(row.points or 0, rules.decimals), row.achieved_at)


def team_rows(
    competition: Competition, rules: Rules, places: Sequence[TeamPlace], best: Mapping[int, Row]
) -> list[TeamRow]:
    """Return ranked teams, best first, then teams without a score, by name. ``best`` has each team's best row."""
    members = _count_members(competition)
    empty = {
        team: TeamRow.without_score(team, name, members.get(team, 0))
        for team, name in competition.teams.values_list("pk", "name")
    }
    ranked = [
        _ranked_row(empty.pop(each.team), each, *_value(each, rules, competition.team_score, best[each.team]))
        for each in places
        if each.team in empty
    ]
    return ranked + list(empty.values())


def _read_memberships(competition: Competition) -> tuple[dict[str, int], dict[str, int]]:
    """Return player id → team and player id → division, of all who ever joined: the rows decide who is shown."""
    rows = competition.participants.exclude(team=None, division=None).order_by()
    columns = list(rows.values_list("player__external_id", "team_id", "division_id"))
    teams = {player: team for player, team, _ in columns if team}
    return teams, {player: division for player, _, division in columns if division}


def _count_members(competition: Competition) -> dict[int, int]:
    """Return team → number of visible participants in it."""
    is_visible = visible_q(competition.board_id)
    rows = competition.participants.filter(Participant.TAKING_PART, is_visible, team__isnull=False)
    return dict(rows.order_by().values_list("team").annotate(Count("pk")))


def _team_places(
    competition: Competition, rows: Sequence[Row], rules: Rules, team_of: Mapping[str, int]
) -> list[TeamPlace]:
    return team_standings([player_place(row, rules) for row in rows], team_of, team_rules(competition, rules))


def _ranked_row(row: TeamRow, place: TeamPlace, points: int | Decimal | None, fields: dict[str, int] | None) -> TeamRow:
    return TeamRow(row.team, row.name, place.rank, place.tied, points, fields, place.at, row.members, place.counted)


def _value(place: TeamPlace, rules: Rules, team_score: str, best: Row) -> _Value:
    """Return points, or the best member's fields on boards of criteria."""
    return (points_of(place.value, rules.decimals, team_score), None) if rules.of_points else (None, best.fields)


def points_of(value: Fraction, decimals: int, team_score: str) -> int | Decimal:
    """Convert scaled points for display: exact, but averages are rounded to two decimals more than points have."""
    if team_score != TeamScore.AVERAGE:
        return points_number(int(value), decimals)
    return points_number(round(value * 10**AVERAGE_DECIMALS), decimals + AVERAGE_DECIMALS)


def _by_division(rows: Sequence[Row], division_of: Mapping[str, int], rules: Rules) -> dict[int, list[DivisionRow]]:
    within: dict[int, list[Row]] = {}
    for row in rows:
        division = division_of.get(row.player)
        if division is not None:
            within.setdefault(division, []).append(row)
    return {division: _division_rows(members, rules) for division, members in within.items()}


def _division_rows(rows: Sequence[Row], rules: Rules) -> list[DivisionRow]:
    ranks = [row.rank or 0 for row in rows]
    result: list[DivisionRow] = []
    first = 0
    for index, (row, place) in enumerate(zip(rows, division_places(ranks, rules.ties), strict=True)):
        first = first if index and ranks[index] == ranks[index - 1] else index
        result.append(DivisionRow(row, place.rank, place.tied, first))
    return result
