"""Restricting players as moderators do, and letting go of it."""

from foundation import clock
from leaderboards.models import Board, Player, Restriction, RestrictionKind
from leaderboards.services.ban import lift
from leaderboards.services.restrict import What, lift_restrictions, restrict

EVERY_WAY = (
    "hidden", "shadowed", "banned", "hidden everywhere", "shadowed everywhere", "banned everywhere",
)  # fmt: skip  # as a line


def keep_out(how: str, board: Board, *players: str) -> None:
    """In one of all the ways: a kind, followed by "everywhere" where it is not on the board alone."""
    kind, _, everywhere = how.partition(" ")
    what = What(RestrictionKind(kind), None if everywhere else board)
    numbers = Player.objects.filter(external_id__in=players).values_list("pk", flat=True)
    assert len(restrict(list(numbers), what, "A test.", clock.now(), None)) == len(players)


def let_back() -> None:
    """Everybody, from everything."""
    lift_restrictions(Restriction.objects.values_list("pk", flat=True), "Over.", clock.now(), None)
    lift(Player.objects.values_list("pk", flat=True), "Over.", clock.now(), None)
