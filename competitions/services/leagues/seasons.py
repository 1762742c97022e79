"""Begin a league's season with each period of its board, and place players who score into groups.

Each step finds what is due, so it may run late, twice, or concurrently. Groups are filled under a lock on the season's
row, so no player is in two groups and no group exceeds its size. The trap: a player whose last season is not turned yet
(``services/leagues/promotion.py``) has no tier and waits for that; other players do not wait.
"""

from collections.abc import Callable, Sequence
from datetime import datetime

from django.db import transaction
from django.db.models import Count, Exists, OuterRef, QuerySet

from competitions.core.leagues import FEWEST_TIERS, fill
from competitions.models import League, LeagueGroup, LeagueMember, LeagueSeason
from competitions.selectors.leagues import CALENDAR, tiers_of
from foundation import clock
from foundation.failpoints import failpoint
from foundation.worker.each import for_each
from leaderboards.core.periods import window_open_at
from leaderboards.models import Period, Standing
from leaderboards.selectors.visibility.restrictions import visible_q

PLACED_AT_ONCE = 2000
BUDGET_SECONDS = 4.0  # shorter than the schedule's interval


def begin_due(at: datetime) -> int:
    """Begin a season for every league in use whose current period has none; returns how many were begun."""
    in_use = League.objects.filter(enabled=True, board__period__in=CALENDAR).select_related("board").order_by("pk")
    return sum(for_each(in_use, lambda league: begin(league, at)))


def begin(league: League, at: datetime) -> bool:
    """Begin the season of the period that contains ``at``, with the present settings.

    Returns False if the period is not open yet, has a season, or the league has fewer than two tiers.
    """
    window = window_open_at(league.board.calendar, at)
    running = Period.objects.filter(board=league.board, league_season=None)
    period = running.filter(label=window.label).first() if window else None
    tiers = list(league.tiers.order_by("position").values_list("name", flat=True)) if period else []
    if period is None or len(tiers) < FEWEST_TIERS:
        return False
    settings = {name: getattr(league, name) for name in ("group_size", "promoted", "demoted")}
    values = {"league": league, "tiers": tiers, "begun_at": at, **settings}
    return LeagueSeason.objects.get_or_create(period=period, defaults=values)[1]


def place_due(at: datetime) -> int:  # noqa: ARG001 - every step gets the time
    """Place players who have scored into groups, for a few seconds; returns how many were placed."""
    until = clock.monotonic() + BUDGET_SECONDS
    return sum(for_each(unturned(), lambda season: place_all(season, lambda: clock.monotonic() < until)))


def unturned() -> QuerySet[LeagueSeason]:
    """Return the seasons whose players were not moved yet, oldest first."""
    seasons = LeagueSeason.objects.filter(turned_at=None).select_related("period__board")
    return seasons.order_by("period__starts_at", "pk")


def lock_season(number: int) -> LeagueSeason | None:
    """Lock and return the season of this number; None once it is turned."""
    seasons = LeagueSeason.objects.select_for_update(of=("self",)).select_related("period__board")
    return seasons.filter(pk=number, turned_at=None).first()


def place_all(season: LeagueSeason, goes_on: Callable[[], bool] = lambda: True) -> int:
    """Place all players who have scored and are in no group, while ``goes_on()``; returns how many were placed."""
    placed, last = 0, 0
    while goes_on():
        entered, last = _place_some(season.pk, last)
        placed += entered
        if not last:
            break
    return placed


@transaction.atomic
def _place_some(number: int, after: int) -> tuple[int, int]:
    """Place the next players in the order of their standings' numbers, starting behind ``after``.

    Returns how many were placed, and the last number that was read; 0 at the end.
    """
    season = lock_season(number)
    if season is None:
        return 0, 0
    next_ones = unplaced(season).filter(pk__gt=after).order_by("pk")
    rows = list(next_ones.values_list("pk", "player_id")[:PLACED_AT_ONCE])
    players = [player for _, player in rows]
    tiers = tiers_of(season, players)
    entered = _enter(season, [(player, tiers[player]) for player in players if player in tiers])
    failpoint("leagues.placed")
    return entered, rows[-1][0] if rows else 0


def unplaced(season: LeagueSeason) -> QuerySet[Standing]:
    """Return the standings of players who are in no group. Banned players enter once they are unbanned."""
    members = LeagueMember.objects.filter(season=season, player=OuterRef("player"))
    scored = Standing.objects.filter(
        visible_q("period__board", period="period"), period=season.period_id, score__isnull=False
    )
    return scored.filter(~Exists(members))


def _enter(season: LeagueSeason, entering: Sequence[tuple[int, int]]) -> int:
    """Add the players, each with a tier, to groups; returns how many. The season's row must be locked."""
    tiers = {tier for _, tier in entering}
    newest = {tier: group for tier in tiers if (group := _newest_group(season, tier))}
    placed = fill(entering, newest, season.group_size)
    group_keys = sorted({(tier, number) for _, tier, number in placed})
    groups = {key: _group(season, *key) for key in group_keys}
    members = [LeagueMember(season=season, group=groups[tier, nth], player_id=player) for player, tier, nth in placed]
    return len(LeagueMember.objects.bulk_create(members))


def _group(season: LeagueSeason, tier: int, number: int) -> LeagueGroup:
    return LeagueGroup.objects.get_or_create(season=season, tier=tier, number=number)[0]


def _newest_group(season: LeagueSeason, tier: int) -> tuple[int, int] | None:
    """Return the number and the size of the newest group of a tier; None without groups."""
    groups = season.groups.filter(tier=tier).annotate(size=Count("members")).order_by("-number")
    return groups.values_list("number", "size").first()
