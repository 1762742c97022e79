"""Who stood next to a player most often in their latest final periods, and who passed whom.

Neighbours are the visible players right before and right behind; at most ``RIVAL_PERIODS`` periods are looked at, and
``MOST_RIVALS`` players are returned. The trap: names are not part of it, since a rival may be erased later.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from django.db.models import Q

from leaderboards.core.career import HeadToHead, head_to_head
from leaderboards.core.erased_ids import is_id_of_erased
from leaderboards.models import FinalStanding, Period, Player
from leaderboards.selectors.catalog.periods import PeriodInfo, period_info
from leaderboards.selectors.visibility.restrictions import visible_q

RIVAL_PERIODS, MOST_RIVALS = 60, 4
LEAST_MEETINGS = 2  # once is chance
REACH = 3  # places on each side that are read: hidden players may stand between two who are next to each other


@dataclass(frozen=True, slots=True)
class Rival:
    """Another player (internal number), how often they finished next to the player, and how they compare.

    ``passed_on`` is the board (number) and period of the last finish that changed their order, None without one.
    """

    player: int
    next_to: int
    score: HeadToHead
    passed_on: tuple[int, PeriodInfo] | None


def find_rivals(player: int, places: Collection[tuple[int, int]]) -> list[Rival]:
    """Return the rivals, most often next first; ``places`` are the player's final places: period (pk) and place."""
    latest = Period.objects.filter(pk__in=[period for period, _ in places]).order_by("-ends_at", "-pk")[:RIVAL_PERIODS]
    periods = {period.pk: period for period in latest}
    own = {period: place for period, place in places if period in periods}
    if len(own) < LEAST_MEETINGS:
        return []
    beside = _count_neighbours(player, own)
    met = [each for each, times in beside.items() if times >= LEAST_MEETINGS]
    known = Player.objects.in_bulk(met)
    met = [each for each in met if each in known and not is_id_of_erased(known[each].external_id, each)]
    met = sorted(met, key=lambda each: (-beside[each], each))[:MOST_RIVALS]
    return _compare(player, met, beside, periods) if met else []


def _count_neighbours(player: int, own: Mapping[int, int]) -> Counter[int]:
    near = Q()
    for period, place in own.items():
        near |= Q(period=period, place__range=(place - REACH, place + REACH))
    rows = FinalStanding.objects.filter(near, visible_q("period__board", period="period")).exclude(player=player)
    before: dict[int, tuple[int, int]] = {}
    behind: dict[int, tuple[int, int]] = {}
    for period, place, other in rows.values_list("period", "place", "player"):
        if place < own[period]:
            before[period] = max(before.get(period, (place, other)), (place, other))
        else:
            behind[period] = min(behind.get(period, (place, other)), (place, other))
    return Counter(other for side in (before, behind) for _, other in side.values())


def _compare(
    player: int, others: Sequence[int], beside: Mapping[int, int], periods: Mapping[int, Period]
) -> list[Rival]:
    rows = FinalStanding.objects.filter(
        visible_q("period__board", period="period"), period__in=periods, player__in=others
    )
    ranks = {(period, other): rank for period, other, rank in rows.values_list("period", "player", "rank")}
    own = dict(FinalStanding.objects.filter(period__in=periods, player=player).values_list("period", "rank"))
    earliest_first = sorted(
        own, key=lambda period: (periods[period].ends_at or datetime.max.replace(tzinfo=UTC), period)
    )
    rivals = []
    for other in others:
        met = [period for period in earliest_first if (period, other) in ranks]
        meetings = [(periods[period].board_id, own[period], ranks[period, other]) for period in met]
        score = head_to_head(meetings)
        last = None if score.last_pass is None else periods[met[score.last_pass]]
        rivals.append(
            Rival(other, beside[other], score, (last.board_id, period_info(last)) if last is not None else None)
        )
    return rivals
