"""Rewards follow the latest revision: revoked, granted to the next in line, granted anew."""

from collections import Counter
from importlib import import_module

import orjson
import pytest
from django.apps import apps

from competitions.models import Competition, RewardGrant, RewardRun, RewardTier
from competitions.services.rewards import settlement as settling
from competitions.services.rewards import staff_revocation as take_back
from competitions.services.rewards.reward import mark_delivered
from competitions.services.rewards.staff_revocation import Reallocation
from foundation.webhooks.models import WebhookDelivery
from leaderboards.models import Player
from leaderboards.services.periods.close import close_due
from tests.at_once import at_once
from tests.competitions.factories import DAY, END, HOUR
from tests.competitions.services.mishaps import dying_at
from tests.competitions.services.telling import hooks, listening, who
from tests.competitions.services.winning import (
    LATER,
    POINTS,
    back,
    finished,
    granted,
    out,
    published,
    rewarded,
    settle,
    tier,
)
from tests.leaderboards.services import site

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]
OF_REWARDS = ["reward.granted", "reward.revoked"]


def said(kind: str) -> list[dict[str, object]]:
    return [orjson.loads(each.body)["data"] for each in WebhookDelivery.objects.filter(kind=kind).order_by("pk")]


def test_who_earns_no_more_is_revoked_the_next_is_granted_and_who_still_earns_keeps_the_row_with_its_new_rank() -> None:
    competition = rewarded()
    kept = RewardGrant.objects.get(name="Half", player=who("b"))
    mark_delivered(RewardGrant.objects.filter(name="Gold"), END + HOUR)
    listening(kinds=OF_REWARDS)
    out(competition, "a", "A car.")

    assert settle(LATER) == 3  # half of three is two, as before: b stays, c is new

    assert granted() == [("Half", "b", 1), ("Gold", "b", 1), ("Silver", "c", 2), ("Half", "c", 2)]
    kept.refresh_from_db()
    assert (kept.rank, kept.revoked_at) == (1, None)
    gone = RewardGrant.objects.filter(revoked_at=LATER)
    assert set(gone.values_list("name", "player__external_id", "revoked_reason")) == {
        ("Gold", "a", "A car."),
        ("Half", "a", "A car."),
        ("Silver", "b", "A car."),
    }
    [gold] = [each for each in said("reward.revoked") if each["reward"] == "Gold"]
    assert (gold["player"], gold["reason"], gold["delivered_at"]) == ("a", "A car.", f"{END + HOUR:%FT%TZ}")
    new = RewardGrant.objects.filter(granted_at=LATER)
    told = {(f"reward.{kind}", f"{prefix}-{each.pk}") for kind, prefix, rows in
            (("revoked", "revoked", gone), ("granted", "grant", new)) for each in rows}  # fmt: skip  # as a table
    assert set(hooks()) == told
    assert len(hooks()) == len(told)


def test_nothing_changes_until_a_revision_says_so_and_one_that_changes_nothing_changes_nothing() -> None:
    competition = rewarded()
    before = list(RewardGrant.objects.values())
    listening(kinds=OF_REWARDS)

    assert settle(LATER) == 0
    assert out(competition, sorted(POINTS)[-1], "A car.", LATER).number == 2  # who is last has earned nothing
    assert settle(LATER) == 0

    assert list(RewardGrant.objects.values()) == before
    assert hooks() == []
    assert RewardRun.objects.get().revision == 2


def test_who_is_reinstated_is_granted_anew_in_a_row_of_its_own() -> None:
    competition = rewarded()
    out(competition, "a")
    settle(LATER)
    back(competition, "a")

    settle(LATER + HOUR)

    assert granted() == [("Gold", "a", 1), ("Half", "a", 1), ("Half", "b", 2), ("Silver", "b", 2)]
    golds = RewardGrant.objects.filter(name="Gold", player=who("a")).order_by("pk")
    assert [each.revoked_at for each in golds] == [LATER, None]


def test_several_revisions_are_followed_at_once_to_the_latest() -> None:
    competition = rewarded()
    out(competition, "a")
    out(competition, "b")
    back(competition, "a")

    settle(LATER)

    assert ("Gold", "a", 1) in granted()
    assert ("Silver", "c", 2) in granted()
    assert RewardRun.objects.get().revision == 4
    assert RewardGrant.objects.filter(name="Gold").count() == 1


def test_a_hidden_or_provisional_result_grants_nothing_whatever_revisions_there_are() -> None:
    competition = finished(POINTS, freeze_minutes=60)
    tier(competition)
    Competition.objects.filter(pk=competition.pk).update(frozen_at=END - HOUR)
    published(competition)
    out(competition, "a")
    assert settle(LATER) == 0
    Competition.objects.filter(pk=competition.pk).update(revealed_at=LATER, final_at=None)
    assert settle(LATER) == 0
    Competition.objects.filter(pk=competition.pk).update(final_at=LATER)

    assert settle(LATER) == 1

    assert granted() == [("Gold", "b", 1)]
    assert RewardRun.objects.get().revision == 2


def test_tiers_that_are_made_changed_or_deleted_after_the_first_run_change_nothing_of_it() -> None:
    competition = rewarded()
    tier(competition.board, name="Late")
    RewardTier.objects.filter(name="Gold").update(limit=3)
    RewardTier.objects.filter(name="Silver").delete()
    out(competition, "a")

    settle(LATER)

    assert granted() == [("Half", "b", 1), ("Gold", "b", 1), ("Silver", "c", 2), ("Half", "c", 2)]


@pytest.mark.parametrize("deleted", [1, 2])
def test_of_two_tiers_of_one_name_and_code_each_keeps_its_grants_also_once_they_are_deleted(deleted: int) -> None:
    competition = finished(POINTS)
    tiers = [tier(competition, name="Badge", kind=kind, limit=limit) for kind, limit in (("rank", 1), ("percent", 75))]
    published(competition)
    assert settle(END + HOUR) == 4
    for each in tiers[:deleted]:
        each.delete()
    before = granted()
    taken = RewardGrant.objects.filter(player=who("a")).earliest("pk")
    take_back.revoke_by_staff([taken], Reallocation.NOBODY, "Given twice.", LATER)

    out(competition, "d")  # 75 % of three are three, as of four
    assert settle(LATER) == 0
    assert granted() == before[1:]

    out(competition, "a")
    assert settle(LATER) == 1
    assert Counter(granted()) == Counter([("Badge", "b", 1), ("Badge", "b", 1), ("Badge", "c", 2)])


def test_calendar_boards_are_rewarded_once_whoever_is_banned_later() -> None:
    board = site.make_board("hybrid")
    tier(board)
    site.score(board, {"a": 9, "b": 7}, site.NOON)
    close_due(site.NOON + DAY)
    settle(site.NOON + DAY)
    Player.objects.filter(external_id="a").update(banned_at=site.NOON + DAY)

    assert settle(site.NOON + 2 * DAY) == 0

    assert granted() == [("Gold", "a", 1)]


def test_following_again_or_at_once_or_after_one_that_died_grants_and_revokes_nothing_twice() -> None:
    competition = rewarded()
    listening(kinds=OF_REWARDS)
    out(competition, "a")
    before = granted()
    with dying_at(settling, "settle.before_commit"):
        settle(LATER)
    assert (granted(), hooks()) == (before, [])

    at_once([lambda: settle(LATER)] * 4)

    assert settle(LATER + HOUR) == 0
    assert granted() == [("Half", "b", 1), ("Gold", "b", 1), ("Silver", "c", 2), ("Half", "c", 2)]
    assert len(hooks()) == 6
    assert RewardGrant.objects.count() == 7


def test_an_upgrade_keeps_the_tiers_that_runs_of_before_went_by_and_tells_nobody_of_old_grants() -> None:
    competition = rewarded()
    tier(competition.board, name="Of the board", limit=1)
    cancelled = finished({"a": 1})
    Competition.objects.filter(pk=cancelled.pk).update(cancelled_at=END, final_at=None)
    settle(LATER)
    kept = RewardRun.objects.get(competition=competition).tiers
    RewardRun.objects.update(competition=None, revision=None, tiers=[])
    RewardGrant.objects.update(told_at=None)

    import_module("competitions.migrations.0009_reward_runs").keep_rules(apps, None)

    run = RewardRun.objects.get(competition=competition)
    assert (run.revision, [each["name"] for each in run.tiers]) == (1, ["Gold", "Silver", "Half"])
    assert [{**each, "limit": float(each["limit"])} for each in run.tiers] == [
        {**each, "limit": float(each["limit"])} for each in kept
    ]
    empty = RewardRun.objects.get(competition=cancelled)
    assert (empty.revision, empty.tiers) == (None, [])
    assert not RewardGrant.objects.filter(told_at=None).exists()
    out(competition, "a")
    settle(LATER)
    assert granted() == [("Half", "b", 1), ("Gold", "b", 1), ("Silver", "c", 2), ("Half", "c", 2)]
