"""A board's league, its seasons, and a player in their group.

Places in a group come from the board's live ranking of its members; players who are hidden there are hidden here.
Leagues exist only on calendar boards, so no freeze applies.
"""

from collections import Counter
from collections.abc import Collection, Hashable, Iterator, Mapping
from dataclasses import dataclass

from django.db.models import Max, OuterRef, QuerySet, Subquery

from competitions.core.leagues import Outcome, next_tier, places
from competitions.errors import NoLeague, NotInLeague
from competitions.models import League, LeagueGroup, LeagueMember, LeagueSeason
from foundation import clock
from foundation.messages import Message
from leaderboards import selectors
from leaderboards.core.periods import PeriodKind
from leaderboards.models import Board, Player
from leaderboards.selectors import Row, Standings
from leaderboards.selectors.visibility.restrictions import visible_q

CALENDAR = (PeriodKind.DAY, PeriodKind.WEEK, PeriodKind.MONTH, PeriodKind.YEAR, PeriodKind.SCHEDULE)


@dataclass(frozen=True, slots=True)
class GroupRow:
    """A member with their place in the group; ``tied`` is how many share it, including them.

    ``outcome`` is provisional, and final once the season is turned.
    """

    row: Row
    place: int
    tied: int
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class LeagueStanding:
    """A player in a league. Without a ``group`` they have not scored in this period; ``tier`` is the one to enter.

    ``standings`` are those of the group's members, best first, in the order of ``rows``. ``with_more`` means that the
    group is unfilled, so its outcomes are decided together with the group before it, among ``deciding`` players in all.
    """

    season: LeagueSeason
    tier: int
    group: LeagueGroup | None
    standings: Standings
    rows: list[GroupRow]
    me: GroupRow | None
    with_more: bool = False
    deciding: int = 0

    @property
    def tier_name(self) -> str:
        """The name of the tier in this season."""
        return self.season.name_of(self.tier)

    def name_after(self, outcome: Outcome) -> str:
        """Return the name of the tier that this outcome leads to."""
        return self.season.name_of(next_tier(self.tier, outcome, len(self.season.tiers)))


def league_of(board: Board) -> League:
    """Return the board's league. Raises ``NoLeague`` if there is none in use."""
    league = League.objects.filter(board=board, enabled=True).first()
    if league is None:
        raise NoLeague(Message("Board %(board)s has no league.", board=board.seq))
    return league


def example_board() -> int | None:
    """Return the number of a board whose league has members, for examples."""
    return LeagueSeason.objects.filter(members__isnull=False).values_list("period__board", flat=True).first()


def season_of(board: Board, period: str) -> LeagueSeason:
    """Return the season of ``current``, ``previous`` or a label. Raises ``UnknownPeriod`` and ``NoLeague``."""
    label = selectors.find_period_info(board, period, clock.now()).label
    season = season_by_label(board, label)
    if season is None:
        raise NoLeague(Message("Board %(board)s has no league in period %(period)s.", board=board.seq, period=label))
    return season


def season_by_label(board: Board, label: str) -> LeagueSeason | None:
    """Return the season of the period with this label, or None."""
    seasons = LeagueSeason.objects.filter(period__board=board, period__label=label)
    return seasons.select_related("period").first()


def league_standing_of(board: Board, season: LeagueSeason, player: str) -> LeagueStanding:
    """Return the standing of a player (external id) in their group of the season. Raises ``NotInLeague``.

    A player of an earlier season who has not scored yet has a tier but no group, until the season is turned.
    """
    member = LeagueMember.objects.filter(season=season, player__external_id=player).select_related("group").first()
    if member is None:
        standing = _without_group(season, board, player)
    else:
        standing = _in_group(season, board, player, member.group)
    if standing is None:
        raise NotInLeague(
            Message(
                "%(player)s is in no group of this league in period %(period)s.",
                player=player,
                period=season.period.label,
            )
        )
    return standing


def group_members(board: Board, label: str, player: str) -> tuple[LeagueGroup, list[str]] | None:
    """Return the group of a player (external id) in a period, and the ids of its members; None if there is none."""
    member = LeagueMember.objects.filter(
        season__period__board=board, season__period__label=label, player__external_id=player
    ).select_related("group__season")
    found = member.first()
    if found is None:
        return None
    return found.group, list(found.group.members.values_list("player__external_id", flat=True))


def is_ranked_with_previous_group(season: LeagueSeason, group: LeagueGroup, entered: int, ranked: int) -> bool:
    """Whether a group with ``entered`` members, of whom ``ranked`` have a place, is unfilled and not the first one."""
    return group.number > 1 and season.rules.is_unfilled(entered, ranked)


def players_before(group: LeagueGroup) -> list[int]:
    """Return the players (internal numbers) of the group before this one in its tier."""
    return list(_previous_members(group).values_list("player", flat=True))


def tiers_of(season: LeagueSeason, players: Collection[int]) -> dict[int, int]:
    """Return player (internal number) → tier to enter, without players whose earlier season is not turned yet."""
    earlier = LeagueMember.objects.filter(player=OuterRef("pk"), season__league=season.league_id, season__lt=season.pk)
    latest = earlier.order_by("-season_id")
    tier, outcome = Subquery(latest.values("group__tier")[:1]), Subquery(latest.values("outcome")[:1])
    rows = Player.objects.filter(pk__in=players).values_list("pk", tier, outcome)
    return {pk: _tier_entered(season, tier, outcome) for pk, tier, outcome in rows if tier is None or outcome}


def _tier_entered(season: LeagueSeason, tier: int | None, outcome: str) -> int:
    return 1 if tier is None else next_tier(tier, Outcome(outcome), len(season.tiers))


def _without_group(season: LeagueSeason, board: Board, player: str) -> LeagueStanding | None:
    """Return the standing of a player who has not scored; None if they never were in the league, or it is turned."""
    visible = Player.objects.filter(
        visible_q(board.seq, "", season.period_id), external_id=player, league_members__season__league=season.league_id
    )
    number = None if season.turned_at else visible.values_list("pk", flat=True).first()
    tiers = tiers_of(season, [number]) if number else {}
    if number not in tiers:
        return None
    no_rows = selectors.rows_of_players(board, [], season.period.label)
    return LeagueStanding(season, tiers[number], None, no_rows, [], None)


def _in_group(season: LeagueSeason, board: Board, player: str, group: LeagueGroup) -> LeagueStanding | None:
    """Return the player's standing in the group; None if they are removed from the board or hidden."""
    group.season = season
    members = dict(group.members.values_list("player__external_id", "outcome"))
    standings = selectors.rows_of_players(board, list(members), season.period.label)
    with_more = is_ranked_with_previous_group(season, group, len(members), len(standings.rows))
    is_combined = with_more and not season.turned_at
    deciding = _combined_standings(board, season, group, members) if is_combined else standings
    rows = list(_group_rows(season, group, standings, members, deciding))
    me = next((each for each in rows if each.row.player == player), None)
    number = len(deciding.rows)
    return LeagueStanding(season, group.tier, group, standings, rows, me, with_more, number) if me else None


def _combined_standings(board: Board, season: LeagueSeason, group: LeagueGroup, members: Collection[str]) -> Standings:
    others = _previous_members(group).values_list("player__external_id", flat=True)
    return selectors.rows_of_players(board, [*members, *others], season.period.label)


def _previous_members(group: LeagueGroup) -> QuerySet[LeagueMember]:
    """Return the members of the nearest earlier group that has a visible player."""
    earlier = LeagueMember.objects.filter(
        group__season=group.season_id, group__tier=group.tier, group__number__lt=group.number
    )
    nearest = earlier.filter(visible_q("season__period__board", period="season__period")).aggregate(
        number=Max("group__number")
    )["number"]
    return earlier.filter(group__number=nearest)


def _group_rows(
    season: LeagueSeason, group: LeagueGroup, standings: Standings, outcomes: Mapping[str, str], deciding: Standings
) -> Iterator[GroupRow]:
    """Yield the members with places and outcomes; ``deciding`` are the standings whose places decide the outcomes."""
    group_places, deciding_places = places(_tie_keys(standings)), _places_of(deciding)
    sharing = Counter(group_places)
    for row, place in zip(standings.rows, group_places, strict=True):
        final_outcome = outcomes[row.player] if season.turned_at else ""
        deciding_place = deciding_places.get(row.player, place)
        provisional = season.rules.outcome(group.tier, deciding_place, len(deciding_places))
        yield GroupRow(row, place, sharing[place], Outcome(final_outcome) if final_outcome else provisional)


def _places_of(standings: Standings) -> dict[str, int]:
    return dict(zip((row.player for row in standings.rows), places(_tie_keys(standings)), strict=True))


def _tie_keys(standings: Standings) -> Iterator[Hashable]:
    """Yield a key for each row that is equal for tied rows. It works also if SQL did not count the ranks."""
    for nth, row in enumerate(standings.rows):
        key = (row.points, tuple((row.fields or {}).items()), row.achieved_at)
        yield nth if standings.rules.ties.by_time else key
