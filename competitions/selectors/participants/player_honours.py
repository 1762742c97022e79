"""A player's places among the first three of final competitions, and their rewards, as the public may see them.

Bounded: the latest ``MOST`` competitions that could be one, and the latest ``MOST`` rewards. The trap: somebody behind
hidden players moves up, so a place is asked for like any other, and not read from the final standings alone.
"""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Q

from competitions.core.lifecycle import Phase
from competitions.models import Competition, Participant, RewardGrant
from competitions.selectors.standings.standings import player_row
from foundation.errors import NotFound, Unavailable
from leaderboards.choices import Visibility
from leaderboards.models import FinalStanding, Period, Player
from leaderboards.selectors import Row
from leaderboards.selectors.history.visible_ranks import NEAR
from leaderboards.selectors.visibility.restrictions import visible_q

MOST = 24
LAST = 3  # the worst place of a trophy


@dataclass(frozen=True, slots=True)
class Honour:
    """A final competition and the player's row in it, whose rank is among the first three."""

    competition: Competition
    row: Row


def honours_of(player: Player, at: datetime) -> list[Honour]:
    """Return the player's places among the first three, the competition that ended last first."""
    taking_part = Participant.objects.filter(Participant.TAKING_PART, visible_q("competition__board"), player=player)
    final = Competition.objects.filter(board__visibility=Visibility.PUBLIC, cancelled_at=None, final_at__isnull=False)
    rows = final.filter(pk__in=taking_part.values("competition")).exclude(published_at=None)
    latest = list(rows.select_related("board").defer("picture", "description").order_by("-ends_at", "-pk")[: 4 * MOST])
    near = _labels_near_the_top(player, latest)
    shown = [each for each in latest if each.label in near and each.phase(at) is Phase.FINAL]
    found = [(each, _row(each, player, at)) for each in shown[:MOST]]
    return [Honour(each, row) for each, row in found if row is not None and row.rank is not None and row.rank <= LAST]


def rewards_of(player: Player, at: datetime) -> list[RewardGrant]:
    """Return the player's rewards on public boards and in their competitions, the latest first."""
    public = RewardGrant.objects.filter(
        RewardGrant.ACTIVE, visible_q("period__board", period="period"), player=player
    ).filter(period__board__visibility=Visibility.PUBLIC)
    disqualified = Participant.objects.filter(player=player, disqualified_at__isnull=False)
    active = public.filter(Q(competition=None) | Q(competition__cancelled_at=None))
    active = active.exclude(competition__in=disqualified.values("competition"))
    latest = active.select_related("competition", "period__board").defer("competition__picture")
    rows = latest.order_by("-granted_at", "-pk")[:MOST]
    return [each for each in rows if each.competition is None or not each.competition.is_hidden(at)]


def _labels_near_the_top(player: Player, competitions: list[Competition]) -> set[str]:
    periods = Period.objects.filter(
        board__in={each.board_id for each in competitions}, label__in=[each.label for each in competitions]
    )
    near = FinalStanding.objects.filter(period__in=periods.values("pk"), player=player, place__lte=NEAR)
    return set(near.values_list("period__label", flat=True))


def _row(competition: Competition, player: Player, at: datetime) -> Row | None:
    try:
        return player_row(competition, player.external_id, at).row
    except (NotFound, Unavailable):
        return None
