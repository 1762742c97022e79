"""Rewards of the banned are told once they are let in again, as far as they hold by then."""

from collections import Counter
from datetime import timedelta

import pytest

from competitions.models import Notice, RewardGrant
from competitions.services import take_back, tell_rewards
from competitions.services.take_back import Instead
from leaderboards.models import Player
from tests.competitions.factories import DAY, HOUR
from tests.competitions.services.telling import who
from tests.competitions.services.test_outcomes import AT, over, told
from tests.competitions.services.winning import settle, tier

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]


def test_the_banned_hear_of_their_rewards_once_they_are_let_in_again_if_the_rewards_stand() -> None:
    competition = over()
    tier(competition, name="All", limit=3)
    settle(AT)
    Player.objects.filter(external_id__in=("a", "b")).update(banned_at=AT)
    assert tell_rewards.tell_rewards(AT + timedelta(seconds=1)) == 1
    take_back.take_back([RewardGrant.objects.get(player=who("b"))], Instead.NOBODY, "Twice.", AT)
    Player.objects.update(banned_at=None)

    assert [tell_rewards.tell_rewards(AT + DAY), tell_rewards.tell_rewards(AT + DAY)] == [1, 0]

    assert told("rewarded", "reward_revoked") == {("a", "rewarded", 1, None), ("c", "rewarded", 3, None)}
    assert not RewardGrant.objects.filter(told_at=None).exists()


def test_what_was_lost_during_a_ban_is_told_after_it_unless_it_was_won_again() -> None:
    competition = over()
    tier(competition, name="Gold")
    tier(competition, name="Cup")
    settle(AT)
    tell_rewards.tell_rewards(AT)
    Player.objects.filter(external_id="a").update(banned_at=AT)
    grants = {grant.name: grant for grant in RewardGrant.objects.all()}
    for grant in grants.values():
        take_back.take_back([grant], Instead.NOBODY, "Twice.", AT)
    take_back.give_back([grants["Gold"]], "It was right.", AT)
    assert tell_rewards.tell_rewards(AT + HOUR) == 0
    Player.objects.update(banned_at=None)

    assert tell_rewards.tell_rewards(AT + DAY) == 2

    heard = Notice.objects.order_by("pk").values_list("kind", "grant__name")
    assert Counter(heard) == {
        ("rewarded", "Gold"): 2, ("rewarded", "Cup"): 1, ("reward_revoked", "Cup"): 1,
    }  # fmt: skip  # as a table
