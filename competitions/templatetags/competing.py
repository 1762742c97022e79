"""Template tags for competitions on other apps' pages: those and the rewards of a player.

They show only what the public, or the viewer, may see.
"""

from datetime import datetime
from itertools import chain
from typing import Any

from django import template

from competitions.models import RewardGrant
from competitions.phases import phase_word
from competitions.selectors.participants.player_competitions import competitions_of as taken_part
from competitions.selectors.participants.player_honours import rewards_of as won_by
from competitions.selectors.results.revisions import latest_numbers
from foundation import clock
from leaderboards.formats import day_of
from leaderboards.models import Player
from leaderboards.views.components.table_rows import result
from leaderboards.views.http.micro_cache import expire_cache_at

register = template.Library()


@register.inclusion_tag("competitions/_of_player.html", takes_context=True)
def competitions_of(context: dict[str, Any], player: Player) -> dict[str, Any]:
    """List the player's competitions, latest start first, with their public place."""
    at = clock.now()
    taken = taken_part(player, at)
    expire_cache_at(
        context["request"], chain.from_iterable(each.competition.timeline.phase_changes_at for each in taken), at
    )
    revised = latest_numbers([each.competition.pk for each in taken])
    rows = [
        (
            each,
            phase_word(each.phase, revised.get(each.competition.pk, 1)),
            result(each.competition.board, each.row) if each.row else "",
        )
        for each in taken
    ]
    return {"taken": rows}


@register.inclusion_tag("competitions/_rewards_of_player.html")
def rewards_of(player: Player) -> dict[str, Any]:
    """List the player's latest rewards on boards and in competitions."""
    at = clock.now()
    return {"grants": [(grant, _day_granted(grant, at)) for grant in won_by(player, at)]}


def _day_granted(grant: RewardGrant, at: datetime) -> str:
    zone = grant.competition.timezone if grant.competition else grant.period.board.timezone
    return day_of(grant.granted_at, zone, at)
