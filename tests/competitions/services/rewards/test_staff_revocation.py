"""Rewards that staff take back: passed over, so that the next in line win."""

from collections import Counter
from functools import partial

import orjson
import pytest
from django.contrib.auth.models import User

from competitions.errors import BadCompetition, RewardRevoked
from competitions.models import Change, RewardGrant, RewardRun
from competitions.notice_texts import OTHER_REWARD_MOVED
from competitions.selectors.rewards.grant_changes import preview_revoke_by_staff
from competitions.services.rewards import staff_revocation as taking
from competitions.services.rewards.staff_revocation import Reallocation, restore_by_staff, revoke_by_staff
from foundation.webhooks.models import WebhookDelivery
from leaderboards.services.periods.close import close_due
from leaderboards.services.players.erase import erase_player
from tests.at_once import at_once
from tests.competitions.factories import DAY, HOUR
from tests.competitions.services.mishaps import dying_at
from tests.competitions.services.taking import BEFORE, WITHOUT_A, rewarded, standing, take, won, words
from tests.competitions.services.telling import hooks, listening, who, without_moment
from tests.competitions.services.winning import LATER, back, out, settle, tier
from tests.competitions.site import make_board
from tests.leaderboards.services import site

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]


def test_the_next_in_line_win_what_is_taken_back_and_keep_their_places() -> None:
    competition = rewarded()
    assert won() == BEFORE
    listening()
    foreseen = preview_revoke_by_staff(RewardRun.objects.get(), {who("a").pk})

    take(("Gold", "a"))

    assert won() == WITHOUT_A
    assert words(foreseen) == (
        {("Gold", who("a").pk), ("Half", who("a").pk), ("Five", who("a").pk), ("Silver", who("b").pk)},
        {("Gold", who("b").pk), ("Silver", who("c").pk), ("Half", who("c").pk)},
    )
    lost = RewardGrant.objects.filter(revoked_at=LATER).values_list("name", "player__external_id", "revoked_reason")
    assert set(lost) == {
        ("Gold", "a", "Given twice."),
        ("Half", "a", "Given twice."),
        ("Five", "a", "Given twice."),
        ("Silver", "b", OTHER_REWARD_MOVED),
    }
    assert Counter(kind for kind, _ in hooks()) == {"reward.revoked": 4, "reward.granted": 3}
    assert competition.revisions.count() == 1
    assert settle(LATER + HOUR) == 0


def test_each_taking_and_giving_back_is_a_row_of_the_record() -> None:
    competition, judge = rewarded(), User.objects.create(username="judge")
    [gold] = revoke_by_staff([standing("Gold", "a")], Reallocation.NEXT, " Given twice. ", LATER, judge)
    [badge] = revoke_by_staff([standing("Five", "c")], Reallocation.NOBODY, "Too few.", LATER, judge)
    restore_by_staff([gold], "It was right.", LATER + HOUR, judge)

    rows = Change.objects.filter(competition=competition, by=judge).order_by("pk")

    assert list(rows.values_list("kind", "by", "at", "reason", "details")) == [
        ("taken_back", judge.pk, LATER, "Given twice.",
         {"player": "a", "reward": "Gold", "grant": gold.pk, "instead": "next"}),
        ("taken_back", judge.pk, LATER, "Too few.",
         {"player": "c", "reward": "Five", "grant": badge.pk, "instead": "nobody"}),
        ("given_back", judge.pk, LATER + HOUR, "It was right.", {"player": "a", "reward": "Gold", "grant": gold.pk}),
    ]  # fmt: skip  # as a table


@pytest.mark.parametrize(
    ("ties", "places", "passed", "wanted"),
    [
        # Of two who share first place one goes: the other stays first, and the next is second in line.
        ("shared", {"a": 9, "b": 9, "c": 5, "d": 3}, "a", {("Gold", "b", 1), ("Silver", "c", 3)}),
        ("dense", {"a": 9, "b": 9, "c": 5, "d": 3}, "a", {("Gold", "b", 1), ("Silver", "c", 2)}),
        # One ahead of a shared place goes: both move up together.
        ("shared", {"a": 9, "b": 7, "c": 7, "d": 3}, "a", {("Gold", "b", 2), ("Gold", "c", 2)}),
        ("dense", {"a": 9, "b": 7, "c": 7, "d": 3}, "a", {("Gold", "b", 2), ("Gold", "c", 2), ("Silver", "d", 3)}),
        # All of a shared place go.
        ("dense", {"a": 9, "b": 9, "c": 5, "d": 3}, "ab", {("Gold", "c", 2), ("Silver", "d", 3)}),
        ("shared", {"a": 9, "b": 9, "c": 5, "d": 3}, "ab", {("Gold", "c", 3), ("Silver", "d", 4)}),
    ],
)
def test_who_shares_a_rank_goes_on_sharing_it(
    ties: str, places: dict[str, int], passed: str, wanted: set[tuple[str, str, int]]
) -> None:
    rewarded(places, board=make_board("hybrid", ties=ties, period="event"))

    take(*(("Gold", each) for each in passed))

    assert {each for each in won() if each[0] in ("Gold", "Silver")} == wanted


def test_a_percentage_is_of_as_many_as_before_and_goes_to_others() -> None:
    rewarded({f"p{nth}": 100 - nth for nth in range(10)})
    assert {player for name, player, _ in won() if name == "Half"} == {f"p{nth}" for nth in range(5)}

    take(("Half", "p1"), ("Half", "p4"))

    assert {player for name, player, _ in won() if name == "Half"} == {"p0", "p2", "p3", "p5", "p6"}


def test_several_are_passed_over_at_once_or_one_after_another_alike() -> None:
    rewarded()
    take(("Gold", "a"), ("Silver", "b"), ("Half", "a"))
    at_once_won = won()
    assert at_once_won == {("Gold", "c", 3), ("Silver", "d", 4), ("Half", "c", 3), ("Half", "d", 4), ("Five", "c", 3)}

    restore_by_staff(list(RewardGrant.objects.exclude(withheld_at=None)), "Both were right.", LATER)
    assert won() == BEFORE
    take(("Gold", "a"))
    take(("Gold", "b"))

    assert won() == at_once_won


def test_it_survives_later_revisions_whoever_goes_or_comes_back() -> None:
    competition = rewarded()
    take(("Gold", "a"))

    out(competition, "b")
    settle(LATER)
    assert won() == {("Gold", "c", 2), ("Silver", "d", 3), ("Half", "c", 2), ("Half", "d", 3), ("Five", "c", 2)}
    out(competition, "a")
    back(competition, "a")
    back(competition, "b")
    settle(LATER)

    assert won() == WITHOUT_A


def test_places_that_stay_empty_stay_so_and_the_next_in_line_move_up_all_the_same() -> None:
    competition = rewarded(vacated_places="stay_empty")
    out(competition, "a")
    settle(LATER)
    assert {each for each in won() if each[0] in ("Gold", "Silver")} == {("Silver", "b", 2)}

    take(("Silver", "b"))

    assert {each for each in won() if each[0] in ("Gold", "Silver")} == {("Silver", "c", 3)}


def test_the_same_form_twice_and_two_admins_at_once_take_back_once() -> None:
    rewarded()
    grant = standing("Gold", "a")
    listening()

    def act(instead: Reallocation) -> str:
        try:
            revoke_by_staff([grant], instead, "Given twice.", LATER)
        except RewardRevoked:
            return "refused"
        return str(instead)

    found = at_once([lambda: act(Reallocation.NEXT), lambda: act(Reallocation.NEXT), lambda: act(Reallocation.NOBODY)])

    assert sorted(found)[-1] == "refused"
    assert Counter(found)["refused"] == 2
    assert won() == (WITHOUT_A if "next" in found else BEFORE - {("Gold", "a", 1)})
    assert Change.objects.filter(kind="taken_back").count() == 1
    assert act(Reallocation.NEXT) == "refused"


def test_two_admins_who_pass_over_two_at_once_come_to_what_one_would() -> None:
    rewarded()
    grants = [standing("Gold", "a"), standing("Half", "b")]

    at_once([partial(revoke_by_staff, [each], Reallocation.NEXT, "Twice.", LATER) for each in grants])
    settle(LATER)

    assert {each for each in won() if each[0] in ("Gold", "Silver")} == {("Gold", "c", 3), ("Silver", "d", 4)}
    assert RewardRun.objects.get().grants == RewardGrant.objects.count()


def test_whoever_is_killed_midway_took_back_all_or_nothing_and_the_schedule_goes_on() -> None:
    rewarded()
    with dying_at(taking, "take_back.before_commit"):
        take(("Gold", "a"))
    assert (won(), Change.objects.filter(kind="taken_back").count()) == (BEFORE, 0)
    with dying_at(taking, "take_back.committed"):
        take(("Gold", "a"))
    assert won() == BEFORE - {("Gold", "a", 1)}

    settle(LATER)

    assert won() == WITHOUT_A


def test_one_that_does_not_stand_keeps_the_others_and_a_calendar_boards_goes_to_nobody() -> None:
    rewarded()
    gold, badge = standing("Gold", "a"), standing("Five", "c")
    take(("Five", "c"), instead=Reallocation.NOBODY)
    with pytest.raises(RewardRevoked):
        revoke_by_staff([gold, badge], Reallocation.NEXT, "Twice.", LATER)
    assert ("Gold", "a", 1) in won()
    board = site.make_board("hybrid")
    tier(board, name="Daily")
    site.score(board, {"x": 9, "y": 7}, site.NOON)
    close_due(site.NOON + DAY)
    settle(site.NOON + DAY)

    with pytest.raises(BadCompetition):
        take(("Daily", "x"))

    assert ("Daily", "x", 1) in won()


@pytest.mark.parametrize("is_old", [False, True])
def test_an_erasure_takes_the_reason_out_of_the_record_the_row_and_the_messages(is_old: bool) -> None:
    rewarded()
    listening()
    take(("Gold", "a"))
    if is_old:  # a message from before ids had a moment
        for message in WebhookDelivery.objects.all():
            message.message_id = without_moment(message.message_id)
            message.save()

    erase_player("a", LATER)

    bodies = WebhookDelivery.objects.filter(kind="reward.revoked").values_list("body", flat=True)
    assert {orjson.loads(each)["data"]["reason"] for each in bodies} == {"", OTHER_REWARD_MOVED}
    assert not RewardGrant.objects.filter(revoked_reason="Given twice.").exists()
    assert list(Change.objects.filter(kind="taken_back").values_list("reason", "details")) == [("", {})]
    settle(LATER)
    assert won() == WITHOUT_A
