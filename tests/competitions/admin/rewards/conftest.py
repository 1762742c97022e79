"""What tests of rewards in the admin begin with."""

import pytest

from competitions.models import Competition
from competitions.services.lifecycle.finish import finish
from competitions.services.rewards.reward import grant_due_rewards
from foundation import clock
from tests.competitions.factories import DAY, HOUR, START, RewardTierFactory
from tests.competitions.site import SOON, open_competition, raced


@pytest.fixture
def cup() -> Competition:
    """Gold and silver are alice's and bob's."""
    competition = open_competition(starts_at=START - DAY, ends_at=START + HOUR)
    for rank, name in enumerate(("Gold", "Silver"), start=1):
        RewardTierFactory.create(competition=competition, name=name, from_rank=rank, limit=rank)
    raced(competition, {"alice": 30, "bob": 20, "cleo": 10}, SOON - DAY)
    finish(competition, clock.now())
    Competition.objects.update(final_at=clock.now())
    grant_due_rewards(clock.now())
    return competition
