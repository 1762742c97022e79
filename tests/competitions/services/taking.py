"""Rewards that staff take back, and what then stands: what tests of taking and giving back begin with."""

from functools import partial

from competitions.models import RewardGrant
from competitions.selectors.rewards.grant_changes import GrantChanges
from competitions.services.rewards.staff_revocation import Reallocation, revoke_by_staff
from tests.competitions.services import winning
from tests.competitions.services.telling import who
from tests.competitions.services.winning import LATER, TIERS, Tiers, granted

OF_FOUR: Tiers = (*TIERS, ("Five", "points", 5, 1))
BEFORE = {("Gold", "a", 1), ("Silver", "b", 2), ("Half", "a", 1), ("Half", "b", 2), ("Five", "a", 1), ("Five", "b", 2),
          ("Five", "c", 3)}  # fmt: skip  # as a table
WITHOUT_A = {("Gold", "b", 2), ("Silver", "c", 3), ("Half", "b", 2), ("Half", "c", 3), ("Five", "b", 2),
             ("Five", "c", 3)}  # fmt: skip  # as a table


rewarded = partial(winning.rewarded, tiers=OF_FOUR)


def standing(name: str, player: str) -> RewardGrant:
    """The reward of this name that the player has."""
    return RewardGrant.objects.get(name=name, player=who(player), revoked_at=None)


def take(*wanted: tuple[str, str], instead: Reallocation = Reallocation.NEXT) -> list[RewardGrant]:
    """Staff take back what stands, as one act."""
    return revoke_by_staff([standing(*each) for each in wanted], instead, "Given twice.", LATER)


def won() -> set[tuple[str, str, int]]:
    """What stands, which nobody has twice."""
    found = granted()
    assert len(found) == len(set(found))
    return set(found)


def words(difference: GrantChanges) -> tuple[set[tuple[str, int]], set[tuple[str, int]]]:
    """Rewards and internal numbers of players: lost, and new."""
    lost, new = ({(each.name, each.player_id) for each in rows} for rows in (difference.lost, difference.new))
    return lost, new
