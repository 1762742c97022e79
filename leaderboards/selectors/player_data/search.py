"""Finding players by name, and boards by player. Names need not be unique; ids say who somebody is."""

from leaderboards.core.periods import PeriodKind
from leaderboards.models import Board, PeriodState, Player, Standing, Visibility
from leaderboards.selectors.visibility.restrictions import visible_q

MOST = 20


def players_called(name: str) -> list[str]:
    """The ids of up to ``MOST`` players of this name, capitals or not, the longest known first."""
    if not name or "\0" in name:  # PostgreSQL refuses the question itself
        return []
    called = Player.objects.filter(visible_q(None, ""), name__iexact=name).exclude(name="").order_by("pk")
    return list(called.values_list("external_id", flat=True)[:MOST])


def boards_of(player: Player) -> list[Board]:
    """The public boards on whose running periods they stand, as SQL knows; up to ``MOST``."""
    standing = Standing.objects.filter(player=player, score__isnull=False, period__state=PeriodState.OPEN)
    public = Board.objects.filter(visibility=Visibility.PUBLIC).exclude(period=PeriodKind.EVENT)
    return list(public.filter(seq__in=standing.values("period__board"))[:MOST])
