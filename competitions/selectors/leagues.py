"""Leagues as people and programs see them: a board's ladder, and a player in their group.

Places in a group are the board's own ranking among its members, so they are as live as that, and who is not shown
there is not shown here. What a freeze hides there is none of: leagues stand on boards with a calendar.
"""

from collections import Counter
from collections.abc import Collection, Hashable, Iterator, Mapping
from dataclasses import dataclass

from django.db.models import Max, OuterRef, QuerySet, Subquery

from competitions.core.leagues import Outcome, next_tier, places
from competitions.errors import NoLeague, NotInLeague
from competitions.models import League, LeagueGroup, LeagueMember, LeagueSeason
from foundation import clock
from leaderboards import selectors
from leaderboards.core.periods import PeriodKind
from leaderboards.models import Board, Player
from leaderboards.selectors import Row, Standings
from leaderboards.selectors.visibility.restrictions import visible_q

CALENDAR = (PeriodKind.DAY, PeriodKind.WEEK, PeriodKind.MONTH, PeriodKind.YEAR)


@dataclass(frozen=True, slots=True)
class GroupRow:
    """A member in their place among the group; ``tied`` share it, themselves included.

    ``outcome`` is what the place comes to: as things stand, and for good once the season is turned.
    """

    row: Row
    place: int
    tied: int
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class LeagueStanding:
    """A player in a league. Without a ``group`` they have not scored yet in this period; ``tier`` is where they enter.

    ``standings`` are those of the group's members, best first, in the order of ``rows``. ``with_more``: the group is
    unfilled, so what its places come to is decided among the group before it too.
    """

    season: LeagueSeason
    tier: int
    group: LeagueGroup | None
    standings: Standings
    rows: list[GroupRow]
    me: GroupRow | None
    with_more: bool = False

    @property
    def tier_name(self) -> str:
        """The tier as it is called in this period."""
        return self.season.name_of(self.tier)

    def name_after(self, outcome: Outcome) -> str:
        """The tier that this outcome leads to, by its name; their own at the ends of the ladder."""
        return self.season.name_of(next_tier(self.tier, outcome, len(self.season.tiers)))


def league_of(board: Board) -> League:
    """The board's league. Raises ``NoLeague`` where there is none, or none in use."""
    found = League.objects.filter(board=board, enabled=True).first()
    if found is None:
        raise NoLeague(f"Board {board.seq} has no league.")
    return found


def example_board() -> int | None:
    """The number of a board with a league in which somebody is: for examples."""
    return LeagueSeason.objects.filter(members__isnull=False).values_list("period__board", flat=True).first()


def season_of(board: Board, period: str) -> LeagueSeason:
    """The league in a period: ``current``, ``previous`` or a label. Raises ``UnknownPeriod`` and ``NoLeague``."""
    label = selectors.find_period_info(board, period, clock.now()).label
    found = season_by_label(board, label)
    if found is None:
        raise NoLeague(f"Board {board.seq} has no league in period {label}.")
    return found


def season_by_label(board: Board, label: str) -> LeagueSeason | None:
    """The league in the period of this label, if there is one."""
    seasons = LeagueSeason.objects.filter(period__board=board, period__label=label)
    return seasons.select_related("period").first()


def league_standing_of(board: Board, season: LeagueSeason, player: str) -> LeagueStanding:
    """A player (by id) in their group of the season. Raises ``NotInLeague``.

    Who is in the league since earlier and has not scored yet has a tier and no group, while the season is not turned.
    """
    member = LeagueMember.objects.filter(season=season, player__external_id=player).select_related("group").first()
    found = _before_scoring(season, board, player) if member is None else _inside(season, board, player, member.group)
    if found is None:
        raise NotInLeague(f"{player} is in no group of this league in period {season.period.label}.")
    return found


def is_ranked_with_previous_group(season: LeagueSeason, group: LeagueGroup, entered: int, ranked: int) -> bool:
    """Whether a group that so many ``entered``, of whom so many hold a place, is unfilled, and has one before it."""
    return group.number > 1 and season.rules.is_unfilled(entered, ranked)


def players_before(group: LeagueGroup) -> list[int]:
    """The players (internal numbers) of the group before this one in its tier."""
    return list(_members_before(group).values_list("player", flat=True))


def tiers_of(season: LeagueSeason, players: Collection[int]) -> dict[int, int]:
    """Player (internal number) → the tier that they enter; who waits for the turn of an earlier season is left out."""
    earlier = LeagueMember.objects.filter(player=OuterRef("pk"), season__league=season.league_id, season__lt=season.pk)
    latest = earlier.order_by("-season_id")
    tier, outcome = Subquery(latest.values("group__tier")[:1]), Subquery(latest.values("outcome")[:1])
    rows = Player.objects.filter(pk__in=players).values_list("pk", tier, outcome)
    return {pk: _tier_entered(season, tier, outcome) for pk, tier, outcome in rows if tier is None or outcome}


def _tier_entered(season: LeagueSeason, tier: int | None, outcome: str) -> int:
    return 1 if tier is None else next_tier(tier, Outcome(outcome), len(season.tiers))


def _before_scoring(season: LeagueSeason, board: Board, player: str) -> LeagueStanding | None:
    """With the tier in which they will enter; None for who was never in the league, and once the season is turned."""
    known = Player.objects.filter(
        visible_q(board.seq, "", season.period_id), external_id=player, league_members__season__league=season.league_id
    )
    found = None if season.turned_at else known.values_list("pk", flat=True).first()
    tiers = tiers_of(season, [found]) if found else {}
    if found not in tiers:
        return None
    return LeagueStanding(
        season, tiers[found], None, selectors.rows_of_players(board, [], season.period.label), [], None
    )


def _inside(season: LeagueSeason, board: Board, player: str, group: LeagueGroup) -> LeagueStanding | None:
    """Among the group; None for who holds no place, being removed from the board or not shown."""
    group.season = season
    members = dict(group.members.values_list("player__external_id", "outcome"))
    standings = selectors.rows_of_players(board, list(members), season.period.label)
    with_more = is_ranked_with_previous_group(season, group, len(members), len(standings.rows))
    among = _with_those_before(board, season, group, members) if with_more and not season.turned_at else standings
    rows = list(_placed(season, group, standings, members, among))
    me = next((each for each in rows if each.row.player == player), None)
    return LeagueStanding(season, group.tier, group, standings, rows, me, with_more) if me else None


def _with_those_before(board: Board, season: LeagueSeason, group: LeagueGroup, members: Collection[str]) -> Standings:
    others = _members_before(group).values_list("player__external_id", flat=True)
    return selectors.rows_of_players(board, [*members, *others], season.period.label)


def _members_before(group: LeagueGroup) -> QuerySet[LeagueMember]:
    """Of the nearest group before it in which somebody is shown: one whose players are all banned says nothing."""
    earlier = LeagueMember.objects.filter(
        group__season=group.season_id, group__tier=group.tier, group__number__lt=group.number
    )
    nearest = earlier.filter(visible_q("season__period__board", period="season__period")).aggregate(
        number=Max("group__number")
    )["number"]
    return earlier.filter(group__number=nearest)


def _placed(
    season: LeagueSeason, group: LeagueGroup, standings: Standings, outcomes: Mapping[str, str], among: Standings
) -> Iterator[GroupRow]:
    """``among`` are the standings in which a place decides."""
    found, deciding = places(_equals(standings)), _places_of(among)
    sharing = Counter(found)
    for row, place in zip(standings.rows, found, strict=True):
        told = outcomes[row.player] if season.turned_at else ""
        counts = deciding.get(row.player, place)
        outcome = Outcome(told) if told else season.rules.outcome(group.tier, counts, len(deciding))
        yield GroupRow(row, place, sharing[place], outcome)


def _places_of(standings: Standings) -> dict[str, int]:
    return dict(zip((row.player for row in standings.rows), places(_equals(standings)), strict=True))


def _equals(standings: Standings) -> Iterator[Hashable]:
    """By row, what is the same for those who tie: by the board's rule, also where SQL had no time to count ranks."""
    for nth, row in enumerate(standings.rows):
        same = (row.points, tuple((row.fields or {}).items()), row.achieved_at)
        yield nth if standings.rules.ties.by_time else same
