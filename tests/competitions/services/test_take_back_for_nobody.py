"""Rewards that staff take back so that nobody wins them instead: they stay so, and are given back if still earned."""

import pytest

from competitions.errors import BadCompetition, NotEarned, RewardRevoked
from competitions.models import RewardGrant
from competitions.selectors.rewards import rewards
from competitions.services.rewards import staff_revocation as take_back
from competitions.services.rewards.reward import mark_delivered
from competitions.services.rewards.staff_revocation import Reallocation, restore_by_staff
from leaderboards.services.periods.close import close_due
from tests.competitions.factories import DAY, HOUR
from tests.competitions.services.mishaps import dying_at
from tests.competitions.services.telling import hooks, listening, who
from tests.competitions.services.winning import LATER, back, granted, out, published, rewarded, settle, tier
from tests.leaderboards.services import site

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]


def take(
    name: str, player: str, reason: str = "Given twice.", instead: Reallocation = Reallocation.NOBODY
) -> RewardGrant:
    """Staff take back what stands."""
    grant = RewardGrant.objects.get(name=name, player=who(player), revoked_at=None)
    return take_back.revoke_by_staff([grant], instead, reason, LATER)[0]


def test_what_is_taken_back_stays_so_when_tiers_are_computed_anew_and_nobody_else_wins_it() -> None:
    competition = rewarded()
    listening(kinds=["reward.granted", "reward.revoked"])

    taken = take("Gold", "a")
    published(competition, "", LATER)
    settle(LATER)

    assert (taken.revoked_at, taken.revoked_reason) == (LATER, "Given twice.")
    assert granted() == [("Half", "a", 1), ("Silver", "b", 2), ("Half", "b", 2)]
    assert hooks() == [("reward.revoked", f"revoked-{taken.pk}")]
    out(competition, "a")
    settle(LATER)
    back(competition, "a")
    settle(LATER)
    assert [name for name, player, _ in granted() if player == "a"] == ["Half"]


def test_what_is_given_back_is_granted_in_a_new_row_if_it_is_still_earned() -> None:
    competition = rewarded()
    taken, silver = take("Gold", "a"), take("Silver", "b")

    restore_by_staff([taken], "It was right.", LATER + HOUR)

    again = RewardGrant.objects.get(name="Gold", revoked_at=None)
    assert (again.pk != taken.pk, again.name, again.rank, again.granted_at) == (True, "Gold", 1, LATER + HOUR)
    assert ("Gold", "a", 1) in granted()
    out(competition, "b")
    settle(LATER + HOUR)
    with pytest.raises(NotEarned):
        restore_by_staff([silver], "It was right.", LATER + HOUR)
    silver.refresh_from_db()
    assert silver.withheld_at == LATER


def test_a_reward_of_a_calendar_board_is_taken_back_and_given_back_too() -> None:
    board = site.make_board("hybrid")
    tier(board)
    site.score(board, {"a": 9}, site.NOON)
    close_due(site.NOON + DAY)
    settle(site.NOON + DAY)

    taken = take("Gold", "a")
    assert (settle(LATER), granted()) == (0, [])
    restore_by_staff([taken], "It was right.", LATER)

    assert granted() == [("Gold", "a", 1)]


def test_taking_back_wants_a_reason_and_what_stands_and_giving_back_what_was_taken_back() -> None:
    competition = rewarded()
    grant = RewardGrant.objects.get(name="Gold")
    with pytest.raises(BadCompetition):
        take_back.revoke_by_staff([grant], Reallocation.NOBODY, " ", LATER)
    with pytest.raises(RewardRevoked):
        restore_by_staff([grant], "Why?", LATER)
    with dying_at(take_back):
        take("Gold", "a")
    assert ("Gold", "a", 1) in granted()
    out(competition, "a")
    settle(LATER)

    with pytest.raises(RewardRevoked):
        take_back.revoke_by_staff([grant], Reallocation.NOBODY, "Again.", LATER)
    with pytest.raises(RewardRevoked):
        restore_by_staff([grant], "A later result revoked it.", LATER)


def test_only_what_stands_is_shown_and_delivered() -> None:
    competition = rewarded()
    gold = take("Gold", "a")

    shown = rewards.grants(competition, LATER)

    assert (shown.total, {each.name for each in shown.rows}) == (3, {"Silver", "Half"})
    assert [each.name for each in rewards.grants_of(competition, "a", LATER)] == ["Half"]
    assert mark_delivered(RewardGrant.objects.filter(pk=gold.pk), LATER) == 0
