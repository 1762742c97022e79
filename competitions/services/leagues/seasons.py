"""A league's season begins with a period of its board, and its groups fill up with those who score.

Each step looks for what is due, so it may run twice, late, or twice at once: to fill groups is to hold the season's
row, so that no player gets into two groups and no group over its size. The trap: a player whose last season was not
turned yet (``services/leagues/promotion.py``) has no tier, and waits for that; nobody else does.
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
from leaderboards.core.periods import window_at
from leaderboards.models import Period, Standing
from leaderboards.selectors.visibility.restrictions import visible_q

PLACED_AT_ONCE = 2000
BUDGET_SECONDS = 4.0  # shorter than the schedule's interval


def begin_due(at: datetime) -> int:
    """Begin a season of every league in use whose board's running period has none; returns how many were begun."""
    in_use = League.objects.filter(enabled=True, board__period__in=CALENDAR).select_related("board").order_by("pk")
    return sum(for_each(in_use, lambda league: begin(league, at)))


def begin(league: League, at: datetime) -> bool:
    """Begin the season of the period that holds ``at``, by the settings of now; False if there is nothing to begin.

    That is so while nobody has opened the period, where it has a season, and with fewer than two tiers.
    """
    label = window_at(league.board.calendar, at).label
    period = Period.objects.filter(board=league.board, label=label, league_season=None).first()
    tiers = list(league.tiers.order_by("position").values_list("name", flat=True)) if period else []
    if period is None or len(tiers) < FEWEST_TIERS:
        return False
    settings = {name: getattr(league, name) for name in ("group_size", "promoted", "demoted")}
    begun = {"league": league, "tiers": tiers, "begun_at": at, **settings}
    return LeagueSeason.objects.get_or_create(period=period, defaults=begun)[1]


def place_due(at: datetime) -> int:  # noqa: ARG001 (every step is told the time)
    """Put players who have scored into groups, for a few seconds; returns how many."""
    until = clock.monotonic() + BUDGET_SECONDS
    return sum(for_each(unturned(), lambda season: place_all(season, lambda: clock.monotonic() < until)))


def unturned() -> QuerySet[LeagueSeason]:
    """Seasons whose players were not moved yet, the oldest first."""
    seasons = LeagueSeason.objects.filter(turned_at=None).select_related("period__board")
    return seasons.order_by("period__starts_at", "pk")


def lock_season(number: int) -> LeagueSeason | None:
    """The season of this number, held for the rest of the transaction; None once it is turned."""
    seasons = LeagueSeason.objects.select_for_update(of=("self",)).select_related("period__board")
    return seasons.filter(pk=number, turned_at=None).first()


def place_all(season: LeagueSeason, goes_on: Callable[[], bool] = lambda: True) -> int:
    """Place everybody who has scored and is in no group, while it ``goes_on``; returns how many that were."""
    placed, last = 0, 0
    while goes_on():
        entered, last = _place_some(season.pk, last)
        placed += entered
        if not last:
            break
    return placed


@transaction.atomic
def _place_some(number: int, after: int) -> tuple[int, int]:
    """Place the next players, by their standings' numbers; how many, and the last number looked at, 0 at the end."""
    season = lock_season(number)
    if season is None:
        return 0, 0
    next_ones = unplaced(season).filter(pk__gt=after).order_by("pk")
    found = list(next_ones.values_list("pk", "player_id")[:PLACED_AT_ONCE])
    players = [player for _, player in found]
    tiers = tiers_of(season, players)
    entered = _enter(season, [(player, tiers[player]) for player in players if player in tiers])
    failpoint("leagues.placed")
    return entered, found[-1][0] if found else 0


def unplaced(season: LeagueSeason) -> QuerySet[Standing]:
    """Standings of the season's period whose players are in no group. The banned enter once they are let in again."""
    inside = LeagueMember.objects.filter(season=season, player=OuterRef("player"))
    scored = Standing.objects.filter(
        visible_q("period__board", period="period"), period=season.period_id, score__isnull=False
    )
    return scored.filter(~Exists(inside))


def _enter(season: LeagueSeason, entering: Sequence[tuple[int, int]]) -> int:
    """Write the players, each with a tier, into groups; returns how many. Hold the season's row."""
    newest = {tier: found for tier in {tier for _, tier in entering} if (found := _newest(season, tier))}
    placed = fill(entering, newest, season.group_size)
    wanted = sorted({(tier, number) for _, tier, number in placed})
    groups = {each: _group(season, *each) for each in wanted}
    members = [LeagueMember(season=season, group=groups[tier, nth], player_id=player) for player, tier, nth in placed]
    return len(LeagueMember.objects.bulk_create(members))


def _group(season: LeagueSeason, tier: int, number: int) -> LeagueGroup:
    return LeagueGroup.objects.get_or_create(season=season, tier=tier, number=number)[0]


def _newest(season: LeagueSeason, tier: int) -> tuple[int, int] | None:
    """The number of the newest group of a tier, and how many are in it; None where there is none."""
    counted = season.groups.filter(tier=tier).annotate(inside=Count("members")).order_by("-number")
    return counted.values_list("number", "inside").first()
