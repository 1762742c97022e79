"""Turn a league season: once its period is final, the best of each group move up a tier and the last move down.

A season is turned in one transaction, which also sets ``turned_at``. It writes only places and outcomes; the tier that
a player enters next is computed from them (``selectors/leagues.py:tiers_of``).
"""

from collections.abc import Collection, Iterator, Sequence
from datetime import datetime

from django.db import transaction

from competitions.core.leagues import Outcome, next_tier, places
from competitions.models import LeagueGroup, LeagueMember, LeagueSeason
from competitions.selectors.leagues import is_ranked_with_previous_group, players_before
from competitions.services.leagues.seasons import lock_season, place_all, unplaced, unturned
from foundation.failpoints import failpoint
from foundation.webhooks.outbox import enqueue_all, event_id
from foundation.worker.each import for_each
from leaderboards.models import OVER_STATES, FinalStanding, Period
from leaderboards.selectors.visibility.hidden import hidden_now

GROUPS_AT_ONCE = 20
BATCH = 500
FinalRanks = dict[int, tuple[int, int]]  # player → place and rank


def turn_due(at: datetime) -> int:
    """Turn every season whose period is final, oldest first; returns how many were turned."""
    final_seasons = unturned().filter(period__state__in=OVER_STATES)
    return sum(for_each(final_seasons, lambda season: turn(season, at)))


def turn(season: LeagueSeason, at: datetime) -> bool:
    """Turn a season whose period is final; returns False if it was turned before or has to wait.

    It waits for earlier seasons, which decide the tiers of some of its players.
    """
    place_all(season)
    return _turn_locked(season.pk, at)


@transaction.atomic
def _turn_locked(number: int, at: datetime) -> bool:
    season = lock_season(number)
    if season is None or _has_to_wait(season):
        return False
    hidden = hidden_now(season.period)  # not from the cache, which may be a second old: outcomes are permanent
    for groups in _group_batches(season):
        _move_members(season, groups, hidden, at)
        failpoint("leagues.moved")
    season.turned_at = at
    season.save(update_fields=["turned_at"])
    failpoint("leagues.turned")
    return True


def _has_to_wait(season: LeagueSeason) -> bool:
    """Whether an earlier season is not turned, or a player of this one is in no group (after an unban)."""
    earlier = LeagueSeason.objects.filter(league=season.league_id, turned_at=None, pk__lt=season.pk)
    return earlier.exists() or unplaced(season).exists()


def _group_batches(season: LeagueSeason) -> Iterator[Sequence[LeagueGroup]]:
    last = 0
    while groups := list(season.groups.filter(pk__gt=last).order_by("pk")[:GROUPS_AT_ONCE]):
        yield groups
        last = groups[-1].pk


def _read_final(period: Period, players: Sequence[int], hidden: Collection[int]) -> FinalRanks:
    """Read the final place and rank of those players who are ranked and not hidden."""
    rows = FinalStanding.objects.filter(period=period, player__in=set(players).difference(hidden))
    return {player: (place, rank) for player, place, rank in rows.values_list("player_id", "place", "rank")}


def _move_members(season: LeagueSeason, groups: Sequence[LeagueGroup], hidden: Collection[int], at: datetime) -> None:
    members = list(LeagueMember.objects.filter(group__in=groups).select_related("player"))
    final = _read_final(season.period, [member.player_id for member in members], hidden)
    by_group: dict[int, list[LeagueMember]] = {group.pk: [] for group in groups}
    for member in members:
        by_group[member.group_id].append(member)
    for group in groups:
        own = by_group[group.pk]
        _set_outcomes(season, group, own, final)
        if is_ranked_with_previous_group(season, group, len(own), sum(member.place is not None for member in own)):
            players = [*(member.player_id for member in own), *players_before(group)]
            _set_combined_outcomes(season, group, own, _read_final(season.period, players, hidden))
        _announce(season, group, own, at)
    _write(members)


def _write(members: Sequence[LeagueMember]) -> None:
    """Write places and outcomes. It is an upsert because ``bulk_update`` takes minutes for 100 000 members."""
    LeagueMember.objects.bulk_create(
        members, batch_size=BATCH, update_conflicts=True, update_fields=["place", "outcome"], unique_fields=["pk"]
    )


def _set_outcomes(season: LeagueSeason, group: LeagueGroup, members: Sequence[LeagueMember], final: FinalRanks) -> None:
    """Set places and outcomes within a group. A member who is removed or hidden has no place and stays in the tier."""
    ranked = sorted((each for each in members if each.player_id in final), key=lambda each: final[each.player_id])
    for member in members:
        member.place, member.outcome = None, Outcome.STAYED
    for member, place in zip(ranked, places(final[each.player_id][1] for each in ranked), strict=True):
        member.place, member.outcome = place, season.rules.outcome(group.tier, place, len(ranked))


def _set_combined_outcomes(
    season: LeagueSeason, group: LeagueGroup, members: Sequence[LeagueMember], final: FinalRanks
) -> None:
    """Set the outcomes of an unfilled group by the places among ``final``, which holds its members and the players of
    the group before it. Places within the group, and the outcomes of the other group, do not change."""
    ranked = sorted(final, key=final.__getitem__)
    combined_places = dict(zip(ranked, places(final[player][1] for player in ranked), strict=True))
    for member in members:
        if member.place is not None:
            member.outcome = season.rules.outcome(group.tier, combined_places[member.player_id], len(ranked))


def _announce(season: LeagueSeason, group: LeagueGroup, members: Sequence[LeagueMember], at: datetime) -> None:
    """Queue webhooks for promoted and demoted players; the game notifies them. ``at`` becomes ``turned_at``."""
    for outcome in (Outcome.PROMOTED, Outcome.DEMOTED):
        moved = [member for member in members if member.outcome == outcome]
        payloads = {event_id(f"league-{member.pk}", at): _payload(season, group, member) for member in moved}
        if payloads:
            enqueue_all(f"league.{outcome}", payloads, at)


def _payload(season: LeagueSeason, group: LeagueGroup, member: LeagueMember) -> dict[str, object]:
    after = next_tier(group.tier, Outcome(member.outcome), len(season.tiers))
    return {
        "board": season.period.board_id,
        "period": season.period.label,
        "player": member.player.external_id,
        "place": member.place,
        "tier": season.name_of(group.tier),
        "next_tier": season.name_of(after),
    }
