"""Who wins or loses a reward is told once, in their language."""

import pytest
from django.utils import translation

from competitions.models import Notice, RewardGrant
from competitions.notice_texts import EXCLUSIONS_CHANGED, sentences
from competitions.services.notices import reward_notices as tell_rewards
from competitions.services.notices.result_notices import notify_results
from competitions.services.rewards import staff_revocation as take_back
from competitions.services.rewards.staff_revocation import Reallocation
from tests.at_once import at_once
from tests.competitions.services.mishaps import dying_at
from tests.competitions.services.notices.test_result_notices import AT, over, told, words
from tests.competitions.services.telling import wants, who
from tests.competitions.services.winning import back, out, settle, tier

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]


def test_who_wins_and_who_loses_a_reward_is_told_once_with_the_reason() -> None:
    competition = over()
    tier(competition, name="Gold")
    settle(AT)

    assert [tell_rewards.notify_rewards(AT), tell_rewards.notify_rewards(AT)] == [1, 0]
    assert words("a", "rewarded") == "You won “Gold”, in place 1."
    out(competition, "a", "A car.")
    settle(AT)
    assert [tell_rewards.notify_rewards(AT), tell_rewards.notify_rewards(AT)] == [2, 0]

    assert words("a", "reward_revoked") == "The reward “Gold” was taken back. Reason: A car."
    assert told("rewarded", "reward_revoked") == {
        ("a", "rewarded", 1, None),
        ("a", "reward_revoked", 1, None),
        ("b", "rewarded", 1, None),
    }


def test_who_gets_another_reward_for_theirs_reads_one_thing_up_or_down_and_what_staff_took_is_told_by_itself() -> None:
    competition = over()
    for name, rank in (("Gold", 1), ("Silver", 2), ("Bronze", 3)):
        tier(competition, name=name, limit=rank, from_rank=rank)
    settle(AT)
    tell_rewards.notify_rewards(AT)
    out(competition, "a", "A car.")
    settle(AT)

    told_now = [tell_rewards.notify_rewards(AT), tell_rewards.notify_rewards(AT)]

    assert told_now == [3, 0]
    assert told("reward_changed", "reward_revoked") == {
        ("a", "reward_revoked", 1, None),
        ("b", "reward_changed", 1, None),
        ("c", "reward_changed", 2, None),
    }
    assert words("b", "reward_changed") == "You now have “Gold” instead of “Silver”, in place 1. Reason: A car."
    back(competition, "a")
    settle(AT)
    assert [tell_rewards.notify_rewards(AT), tell_rewards.notify_rewards(AT)] == [3, 0]
    assert Notice.objects.filter(kind="reward_changed", player=who("b"), grant__name="Silver").count() == 1
    assert Notice.objects.filter(kind="rewarded", player=who("a")).count() == 2
    assert not RewardGrant.objects.filter(revoked_at__isnull=False, revoked_told_at=None).exists()

    take_back.revoke_by_staff(
        [RewardGrant.objects.get(name="Silver", revoked_at=None)], Reallocation.NOBODY, "Twice.", AT
    )
    out(competition, "a", "A car after all.")
    settle(AT)
    tell_rewards.notify_rewards(AT)
    last = Notice.objects.filter(player=who("b")).order_by("pk").values_list("kind", "grant__name")
    assert list(last)[-2:] == [("rewarded", "Gold"), ("reward_revoked", "Silver")]


def test_a_reward_that_went_before_anybody_heard_of_it_is_told_to_nobody_and_winning_is_muted_losing_not() -> None:
    competition = over()
    tier(competition, name="Gold")
    tier(competition, name="Cup", limit=2)
    wants("b", muted=["rewarded"], quiet_from=0, quiet_until=0)
    settle(AT)
    take_back.revoke_by_staff([RewardGrant.objects.get(name="Gold")], Reallocation.NOBODY, "Twice.", AT)

    tell_rewards.notify_rewards(AT)
    assert told("rewarded", "reward_revoked") == {("a", "rewarded", 1, None)}
    take_back.revoke_by_staff([RewardGrant.objects.get(name="Cup", player=who("b"))], Reallocation.NOBODY, "Twice.", AT)
    tell_rewards.notify_rewards(AT)

    assert told("reward_revoked") == {("b", "reward_revoked", 2, None)}


def test_telling_of_rewards_at_once_or_after_one_that_died_tells_nobody_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tell_rewards, "CHUNK", 1)
    competition = over()
    tier(competition, name="All", limit=3)
    settle(AT)
    with dying_at(tell_rewards):
        tell_rewards.notify_rewards(AT)
    assert not Notice.objects.exists()

    at_once([lambda: tell_rewards.notify_rewards(AT)] * 4)
    tell_rewards.notify_rewards(AT)

    assert len(told("rewarded")) == Notice.objects.count() == 3


def test_a_reason_that_the_schedule_gives_is_told_in_the_language_of_the_reader() -> None:
    competition = over()
    notify_results(AT)
    out(competition, "a", EXCLUSIONS_CHANGED)
    notify_results(AT)
    notice = Notice.objects.filter(kind="result_changed").latest("pk")

    with translation.override("ko"):
        said = " ".join(sentences(notice, "UTC"))

    assert (EXCLUSIONS_CHANGED in said, "결과에 표시되는 플레이어가" in said) == (False, True)
