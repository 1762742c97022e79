"""Rewards that are given back: what was before stands again, unless it is not earned or another act is in the way."""

from collections import Counter

import orjson
import pytest
from django.utils.translation import override

from competitions.errors import NotEarned, PassedOver
from competitions.models import Change, RewardGrant, RewardRun
from competitions.notice_texts import OTHER_REWARD_MOVED
from competitions.selectors.rewards.grant_changes import preview_restore_by_staff
from competitions.services.rewards.reward import mark_delivered
from competitions.services.rewards.staff_revocation import Reallocation, restore_by_staff
from foundation.translate import translated
from foundation.webhooks.models import WebhookDelivery
from tests.competitions.factories import HOUR
from tests.competitions.services.taking import BEFORE, WITHOUT_A, rewarded, take, won, words
from tests.competitions.services.telling import hooks, listening, who
from tests.competitions.services.winning import LATER, back, out, settle

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]


def test_whoever_is_passed_over_by_another_act_is_refused_with_its_name_and_nothing_changes() -> None:
    rewarded()
    [gold] = take(("Gold", "a"), instead=Reallocation.NOBODY)
    [half] = take(("Half", "a"))
    held = won()

    with pytest.raises(
        PassedOver, match=r"^a is passed over for all rewards, since .*: “Half”\. Give that back"
    ) as refused:
        restore_by_staff([gold], "It was right.", LATER)
    with override("ko"):
        said = translated(refused.value.detail)

    assert (won(), Change.objects.filter(kind="given_back").exists()) == (held, False)
    assert "“Half”" in said
    assert "passed over" not in said
    restore_by_staff([half], "It was right.", LATER)
    restore_by_staff([gold], "It was right.", LATER)
    assert won() == BEFORE


def test_both_are_given_back_together() -> None:
    rewarded()
    [gold] = take(("Gold", "a"), instead=Reallocation.NOBODY)
    [half] = take(("Half", "a"))

    restore_by_staff([gold, half], "It was right.", LATER)

    assert won() == BEFORE


def test_where_the_result_stands_in_the_way_too_it_is_the_result_that_is_named() -> None:
    competition = rewarded()
    [gold] = take(("Gold", "a"), instead=Reallocation.NOBODY)
    take(("Half", "a"))
    out(competition, "a")
    settle(LATER)

    with pytest.raises(NotEarned, match="by the result as it is now"):
        restore_by_staff([gold], "It was right.", LATER)


def test_giving_back_restores_what_was_before_and_who_won_by_it_loses_it() -> None:
    rewarded()
    [taken] = take(("Gold", "a"))
    mark_delivered(RewardGrant.objects.filter(name="Gold"), LATER)
    listening()
    foreseen = preview_restore_by_staff(RewardRun.objects.get(), [taken])

    restore_by_staff([taken], "It was right.", LATER + HOUR)

    assert won() == BEFORE
    assert words(foreseen)[0] == {("Gold", who("b").pk), ("Silver", who("c").pk), ("Half", who("c").pk)}
    revoked = [orjson.loads(each.body)["data"] for each in WebhookDelivery.objects.filter(kind="reward.revoked")]
    assert {(each["reward"], each["player"], each["delivered_at"]) for each in revoked} == {
        ("Gold", "b", f"{LATER:%FT%TZ}"),
        ("Silver", "c", None),
        ("Half", "c", None),
    }
    assert {each["reason"] for each in revoked} == {OTHER_REWARD_MOVED}


def test_who_is_in_another_place_by_now_is_given_what_they_earn_there() -> None:
    competition = rewarded()
    out(competition, "a")
    settle(LATER)
    [gold] = take(("Gold", "b"))
    back(competition, "a")
    settle(LATER)
    assert {each for each in won() if each[0] in ("Gold", "Silver")} == {("Gold", "a", 1), ("Silver", "c", 3)}
    listening()
    foreseen = preview_restore_by_staff(RewardRun.objects.get(), [gold])

    restore_by_staff([gold], "It was right.", LATER + HOUR)

    assert won() == BEFORE
    b, c = who("b").pk, who("c").pk
    lost = {("Silver", c), ("Half", c)}
    assert words(foreseen) == (lost, {("Silver", b), ("Half", b), ("Five", b)})
    assert Counter(kind for kind, _ in hooks()) == {"reward.revoked": 2, "reward.granted": 3}
    assert not RewardGrant.objects.exclude(passed_over_at=None).exists()


def test_what_nobody_gets_stays_nobodys_and_what_is_not_earned_any_more_is_not_given_back() -> None:
    competition = rewarded()
    take(("Silver", "b"), instead=Reallocation.NOBODY)
    assert won() == BEFORE - {("Silver", "b", 2)}
    [gold] = take(("Gold", "a"))
    assert won() == WITHOUT_A
    out(competition, "a")
    settle(LATER)
    before = list(RewardGrant.objects.order_by("pk").values())

    with pytest.raises(NotEarned):
        restore_by_staff([gold], "It was right.", LATER)

    assert list(RewardGrant.objects.order_by("pk").values()) == before
    assert not Change.objects.filter(kind="given_back").exists()
