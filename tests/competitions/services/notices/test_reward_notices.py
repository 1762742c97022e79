"""Rewards of the banned are told once they are let in again, as far as they hold by then."""

from collections import Counter
from datetime import datetime, timedelta

import pytest

from competitions.models import Notice, RewardGrant
from competitions.services.notices import reward_notices as tell_rewards
from competitions.services.participants.disqualify import disqualify, reinstate
from competitions.services.results.revisions import publish_due_revisions
from competitions.services.rewards import staff_revocation as take_back
from competitions.services.rewards.staff_revocation import Reallocation
from leaderboards.models import Player
from leaderboards.services.moderation.ban import ban, unban
from tests.competitions.factories import DAY, HOUR
from tests.competitions.services.notices.test_result_notices import AT, over, told
from tests.competitions.services.telling import who
from tests.competitions.services.winning import settle, tier

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]


def test_the_banned_hear_of_their_rewards_once_they_are_let_in_again_if_the_rewards_stand() -> None:
    competition = over()
    tier(competition, name="All", limit=3)
    settle(AT)
    Player.objects.filter(external_id__in=("a", "b")).update(banned_at=AT)
    assert tell_rewards.notify_rewards(AT + timedelta(seconds=1)) == 1
    take_back.revoke_by_staff([RewardGrant.objects.get(player=who("b"))], Reallocation.NOBODY, "Twice.", AT)
    Player.objects.update(banned_at=None)

    assert [tell_rewards.notify_rewards(AT + DAY), tell_rewards.notify_rewards(AT + DAY)] == [1, 0]

    assert told("rewarded", "reward_revoked") == {("a", "rewarded", 1, None), ("c", "rewarded", 3, None)}
    assert not RewardGrant.objects.filter(told_at=None).exists()


def test_what_was_lost_during_a_ban_is_told_after_it_unless_it_was_won_again() -> None:
    competition = over()
    tier(competition, name="Gold")
    tier(competition, name="Cup")
    settle(AT)
    tell_rewards.notify_rewards(AT)
    Player.objects.filter(external_id="a").update(banned_at=AT)
    grants = {grant.name: grant for grant in RewardGrant.objects.all()}
    for grant in grants.values():
        take_back.revoke_by_staff([grant], Reallocation.NOBODY, "Twice.", AT)
    take_back.restore_by_staff([grants["Gold"]], "It was right.", AT)
    assert tell_rewards.notify_rewards(AT + HOUR) == 0
    Player.objects.update(banned_at=None)

    assert tell_rewards.notify_rewards(AT + DAY) == 1

    heard = Notice.objects.order_by("pk").values_list("kind", "grant__name")
    assert Counter(heard) == {
        ("rewarded", "Gold"): 1,
        ("rewarded", "Cup"): 1,
        ("reward_revoked", "Cup"): 1,
    }


def tick(at: datetime) -> None:
    """What the schedule does within a minute."""
    publish_due_revisions(at)
    settle(at)
    tell_rewards.notify_rewards(at)


@pytest.mark.parametrize("told_between", ["", "once lifted", "once published"])
def test_a_short_ban_tells_nobody_twice_what_they_won_whatever_is_told_in_between(told_between: str) -> None:
    competition = over()
    tier(competition, name="Gold")
    settle(AT)
    tell_rewards.notify_rewards(AT)
    ban([who("a").pk], "A bot?", AT, None)
    tick(AT + HOUR)
    unban([who("a").pk], "No bot.", AT + DAY, None)

    if told_between:
        if told_between == "once published":
            publish_due_revisions(AT + DAY)
        tell_rewards.notify_rewards(AT + DAY + timedelta(seconds=1))
    tick(AT + DAY + HOUR)

    assert list(Notice.objects.order_by("pk").values_list("player__external_id", "kind")) == [
        ("a", "rewarded"),
        ("b", "rewarded"),
        ("b", "reward_revoked"),
    ]
    assert not RewardGrant.objects.filter(revoked_at__isnull=False, revoked_told_at=None).exists()


def test_what_somebody_has_heard_that_they_lost_is_told_as_won_again_and_a_second_one_of_a_name_too() -> None:
    competition = over()
    tier(competition, name="Coin", limit=1)
    settle(AT)
    tell_rewards.notify_rewards(AT)
    for act, at in ((disqualify, AT + HOUR), (reinstate, AT + DAY)):
        act(competition, who("a"), "A car.", at, None)
        tick(at)
    grant = RewardGrant.objects.get(player=who("a"), revoked_at=None)
    grant.pk, grant.told_at, grant.tier = None, None, None
    grant.save()

    tell_rewards.notify_rewards(AT + 2 * DAY)

    kinds = Notice.objects.filter(player=who("a"), grant__isnull=False).order_by("pk").values_list("kind", flat=True)
    assert list(kinds) == ["rewarded", "reward_revoked", "rewarded", "rewarded"]
