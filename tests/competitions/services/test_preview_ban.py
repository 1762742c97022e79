"""What a ban is said to come to in competitions is what it then comes to."""

import pytest

from competitions.models import Competition, Revision, RewardGrant
from competitions.services.participants.disqualify import disqualify
from competitions.services.preview_ban import preview_ban
from competitions.services.results.revisions import publish_due_revisions
from competitions.services.rewards.staff_revocation import Reallocation, revoke_by_staff
from leaderboards.services.events import BanPreview, source
from leaderboards.services.moderation.ban import ban, unban
from tests.competitions.factories import END, HOUR, MINUTE
from tests.competitions.services.winning import granted, settle, won_by_ann
from tests.competitions.site import STORAGES, draft, joined, make_board, open_competition, player

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]

OVER = END + MINUTE


def came_of_it() -> tuple[int, int, set[str]]:
    """How many revisions there are, grants of ann that stand, and each grant as it is, with its player."""
    standing = RewardGrant.objects.filter(player__external_id="ann", revoked_at=None)
    rows = RewardGrant.objects.values_list("player__external_id", "pk", "revoked_at")
    return Revision.objects.count(), standing.count(), {f"{name} {pk} {at}" for name, pk, at in rows}


@pytest.mark.parametrize("storage", STORAGES)
def test_what_is_told_of_results_and_rewards_is_what_the_schedule_then_does(storage: str) -> None:
    won_by_ann(storage)
    ann = player("ann").pk
    for action, banned, at in ((ban, True, OVER + HOUR), (unban, False, OVER + 2 * HOUR)):
        before = came_of_it()
        told = preview_ban([ann], banned=banned)
        action([ann], "A bot.", at, None)
        publish_due_revisions(at + MINUTE)
        settle(at + MINUTE)
        after = came_of_it()

        moved = {each.split()[0] for each in after[2] ^ before[2]} - {"ann"}
        assert told == BanPreview(0, after[0] - before[0], abs(after[1] - before[1]), len(moved))
        assert told == BanPreview(0, 1, 2, 2)  # gold and a medal; bob has gold, and cleo a medal
    assert granted() == [("Gold", "ann", 1), ("Medal", "ann", 1), ("Medal", "bob", 2)]


def test_several_are_told_together_and_a_reward_that_was_taken_back_by_hand_goes_to_nobody() -> None:
    won_by_ann()
    both = [player("ann").pk, player("bob").pk]
    revoke_by_staff(
        [RewardGrant.objects.get(name="Medal", player__external_id="bob")], Reallocation.NOBODY, "Sold it.", OVER
    )

    assert preview_ban(both, banned=True) == BanPreview(0, 1, 2, 1)  # gold and a medal of ann; cleo has both
    assert source().preview_ban(both, banned=True) == preview_ban(both, banned=True)


def test_competitions_without_a_final_result_are_hidden_at_once_and_drafts_and_cancelled_ones_are_none() -> None:
    runs, other = open_competition(), open_competition(make_board("sql"))
    joined(runs, "ann")
    joined(other, "ann", "bob")
    cancelled = open_competition(make_board("redis"))
    joined(cancelled, "ann")
    Competition.objects.filter(pk=cancelled.pk).update(cancelled_at=OVER)
    draft()

    assert preview_ban([player("ann").pk], banned=True) == BanPreview(2, 0, 0, 0)
    assert preview_ban([player("ann").pk, player("bob").pk], banned=True) == BanPreview(2, 0, 0, 0)


def test_whom_a_result_leaves_out_already_changes_nothing_of_it() -> None:
    competition = won_by_ann()
    disqualify(competition, player("ann"), "A car.", OVER + MINUTE, None)
    settle(OVER + MINUTE)

    assert preview_ban([player("ann").pk], banned=True) == BanPreview(0, 0, 0, 0)
    assert preview_ban([player("cleo").pk], banned=False) == BanPreview(0, 0, 0, 0)


def test_a_result_that_a_freeze_hides_gets_a_revision_and_nobody_loses_a_reward_that_was_never_granted() -> None:
    won_by_ann(freeze_minutes=60)

    assert granted() == []
    assert preview_ban([player("ann").pk], banned=True) == BanPreview(0, 1, 0, 0)
