"""Find players by name, and boards by player. Names need not be unique; ids identify players."""

from leaderboards.core.periods import PeriodKind
from leaderboards.models import Board, PeriodState, Player, Standing, Visibility
from leaderboards.selectors.visibility.restrictions import visible_q

MOST = 20


def players_called(name: str) -> list[str]:
    """Return the ids of up to ``MOST`` players of this name, ignoring case, the oldest first."""
    if not name or "\0" in name:  # PostgreSQL refuses NUL
        return []
    called = Player.objects.filter(visible_q(None, ""), name__iexact=name).exclude(name="").order_by("pk")
    return list(called.values_list("external_id", flat=True)[:MOST])


def boards_of(player: Player) -> list[Board]:
    """Return up to ``MOST`` public boards in whose running periods the player has a standing in SQL."""
    standing = Standing.objects.filter(player=player, score__isnull=False, period__state=PeriodState.OPEN)
    public = Board.objects.filter(visibility=Visibility.PUBLIC).exclude(period=PeriodKind.EVENT)
    return list(public.filter(seq__in=standing.values("period__board"))[:MOST])
