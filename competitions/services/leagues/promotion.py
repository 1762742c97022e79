"""The turn of a league: once a period is final, the best of each group move up a tier and the last move down.

A season is turned in one transaction with ``turned_at``, which proves it. Nothing is written but places and outcomes:
the tier that a player enters next is worked out from them (``selectors/leagues.py:tiers_of``).
"""

from collections.abc import Collection, Iterator, Sequence
from datetime import datetime

from django.db import transaction

from competitions.core.leagues import Outcome, next_tier, places
from competitions.models import LeagueGroup, LeagueMember, LeagueSeason
from competitions.selectors.leagues import is_ranked_with_previous_group, players_before
from competitions.services.leagues.seasons import lock_season, place_all, unplaced, unturned
from foundation.failpoints import failpoint
from foundation.webhooks.outbox import enqueue_all
from foundation.worker.each import for_each
from leaderboards.models import FinalStanding, Period, PeriodState
from leaderboards.selectors.visibility.hidden import hidden_now

GROUPS_AT_ONCE = 20
BATCH = 500
Final = dict[int, tuple[int, int]]  # player → place and rank


def turn_due(at: datetime) -> int:
    """Move the players of every season whose period is final, the oldest first; returns how many seasons that were."""
    over = unturned().filter(period__state__in=(PeriodState.FINAL, PeriodState.EXPIRED))
    return sum(for_each(over, lambda season: turn(season, at)))


def turn(season: LeagueSeason, at: datetime) -> bool:
    """Move the season's players, whose period is final; False if that was done before, or has to wait.

    It waits for the seasons before it, from which some of its players get their tier.
    """
    place_all(season)
    return _move(season.pk, at)


@transaction.atomic
def _move(number: int, at: datetime) -> bool:
    season = lock_season(number)
    if season is None or _has_to_wait(season):
        return False
    out = hidden_now(season.period)  # what is remembered may be a second old, and this stays
    for groups in _in_turns(season):
        _move_members(season, groups, out, at)
        failpoint("leagues.moved")
    season.turned_at = at
    season.save(update_fields=["turned_at"])
    failpoint("leagues.turned")
    return True


def _has_to_wait(season: LeagueSeason) -> bool:
    """Whether an earlier season is not turned, or somebody who was let in again meanwhile is in no group."""
    earlier = LeagueSeason.objects.filter(league=season.league_id, turned_at=None, pk__lt=season.pk)
    return earlier.exists() or unplaced(season).exists()


def _in_turns(season: LeagueSeason) -> Iterator[Sequence[LeagueGroup]]:
    last = 0
    while groups := list(season.groups.filter(pk__gt=last).order_by("pk")[:GROUPS_AT_ONCE]):
        yield groups
        last = groups[-1].pk


def _final(period: Period, players: Sequence[int], out: Collection[int]) -> Final:
    """Those of the players who are ranked and shown, by their final standings."""
    rows = FinalStanding.objects.filter(period=period, player__in=set(players).difference(out))
    return {player: (place, rank) for player, place, rank in rows.values_list("player_id", "place", "rank")}


def _move_members(season: LeagueSeason, groups: Sequence[LeagueGroup], out: Collection[int], at: datetime) -> None:
    members = list(LeagueMember.objects.filter(group__in=groups).select_related("player"))
    final = _final(season.period, [member.player_id for member in members], out)
    inside: dict[int, list[LeagueMember]] = {group.pk: [] for group in groups}
    for member in members:
        inside[member.group_id].append(member)
    for group in groups:
        own = inside[group.pk]
        _judge(season, group, own, final)
        if is_ranked_with_previous_group(season, group, len(own), sum(member.place is not None for member in own)):
            asked = [*(member.player_id for member in own), *players_before(group)]
            _judge_with_more(season, group, own, _final(season.period, asked, out))
        _announce(season, group, inside[group.pk], at)
    _write(members)


def _write(members: Sequence[LeagueMember]) -> None:
    """Their places and outcomes; ``bulk_update`` takes minutes for a hundred thousand of them."""
    LeagueMember.objects.bulk_create(
        members, batch_size=BATCH, update_conflicts=True, update_fields=["place", "outcome"], unique_fields=["pk"]
    )


def _judge(season: LeagueSeason, group: LeagueGroup, members: Sequence[LeagueMember], final: Final) -> None:
    """Who holds no place (removed, or not shown) stays, and leaves the others' places as they are without them."""
    ranked = sorted((each for each in members if each.player_id in final), key=lambda each: final[each.player_id])
    for member in members:
        member.place, member.outcome = None, Outcome.STAYED
    for member, place in zip(ranked, places(final[each.player_id][1] for each in ranked), strict=True):
        member.place, member.outcome = place, season.rules.outcome(group.tier, place, len(ranked))


def _judge_with_more(season: LeagueSeason, group: LeagueGroup, members: Sequence[LeagueMember], final: Final) -> None:
    """What places in an unfilled group come to: those among all of ``final``, its own and the group before it, whose
    players lose nothing by it. Places within the group stay as they are."""
    ranked = sorted(final, key=final.__getitem__)
    among = dict(zip(ranked, places(final[player][1] for player in ranked), strict=True))
    for member in members:
        if member.place is not None:
            member.outcome = season.rules.outcome(group.tier, among[member.player_id], len(ranked))


def _announce(season: LeagueSeason, group: LeagueGroup, members: Sequence[LeagueMember], at: datetime) -> None:
    """Webhooks for those who move: the game tells its players."""
    for outcome in (Outcome.PROMOTED, Outcome.DEMOTED):
        moved = [member for member in members if member.outcome == outcome]
        payloads = {f"league-{member.pk}": _payload(season, group, member) for member in moved}
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
