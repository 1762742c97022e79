"""What is done to a competition is in the audit log too, and is undone from it as the competition's own pages would."""

import pytest
from django.contrib.auth.models import User

from competitions.models import Competition, RewardGrant
from competitions.services.comments.moderate import hide
from competitions.services.lifecycle.change_end import change_end
from competitions.services.participants.disqualify import disqualify, reinstate, remove
from competitions.services.results.judge import void
from competitions.services.rewards.reward import mark_delivered
from foundation.audit.models import AuditEntry
from foundation.audit.undo import NotUndoable, undo
from foundation.errors import SunwiError
from leaderboards.models import Submission
from leaderboards.services.players.erase import erase_player
from tests.competitions.factories import DAY, CommentFactory
from tests.competitions.site import SOON, period_of, player, race, ranks, reloaded
from tests.leaderboards.factories import AdminFactory

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("links")]
WHY = "By mistake."


@pytest.fixture
def jury() -> User:
    user: User = AdminFactory.create(username="jury")
    return user


@pytest.fixture
def raced() -> Competition:
    """alice leads bob."""
    return race({"alice": 30, "bob": 20})


def only(kind: str) -> AuditEntry:
    return AuditEntry.objects.get(act=f"competition.{kind}")


def shown(competition: Competition) -> list[str]:
    return [name for name, _, _ in ranks(reloaded(competition))]


def test_an_act_of_the_record_is_an_entry_about_the_competition_its_board_and_the_player(
    raced: Competition, jury: User
) -> None:
    disqualify(raced, player("alice"), "Came by car.", SOON, jury)

    entry = only("disqualified")
    assert (entry.by_name, entry.reason, entry.note) == ("jury", "Came by car.", {"player": "alice"})
    assert set(entry.subjects.values_list("kind", "key")) == {
        ("competition", str(raced.pk)),
        ("board", str(raced.board_id)),
        ("player", str(player("alice").pk)),
    }


def test_the_end_stands_before_and_after(raced: Competition, jury: User) -> None:
    was = raced.ends_at

    change_end(raced, was + DAY, "Rain.", SOON, jury)

    entry = only("extended")
    assert (entry.before, entry.after) == ({"end": was.isoformat()}, {"end": (was + DAY).isoformat()})


def test_a_disqualification_is_undone_and_that_too(raced: Competition, jury: User) -> None:
    disqualify(raced, player("alice"), "Came by car.", SOON, jury)

    told = undo(only("disqualified").pk, WHY, SOON, jury)

    assert (told.act, told.reason, told.by_name) == ("competition.reinstated", WHY, "jury")
    assert shown(raced) == ["alice", "bob"]
    undo(told.pk, "By car after all.", SOON, jury)
    assert shown(raced) == ["bob"]


def test_somebody_who_was_removed_is_brought_back_with_their_scores(raced: Competition, jury: User) -> None:
    remove(raced, player("alice"), "Came by car.", SOON, jury)
    gone = shown(raced)

    undo(only("removed").pk, WHY, SOON, jury)

    assert gone == ["bob"]
    assert shown(raced) == ["alice", "bob"]


def test_a_voided_score_counts_again(raced: Competition, jury: User) -> None:
    void(raced, Submission.objects.get(player__external_id="alice"), "Came by car.", SOON, jury)

    told = undo(only("voided").pk, WHY, SOON, jury)

    assert told.act == "competition.restored"
    assert shown(raced) == ["alice", "bob"]
    undo(told.pk, "By car after all.", SOON, jury)
    assert shown(raced) == ["bob"]


def test_a_hidden_comment_is_shown_again_and_the_log_says_why(raced: Competition, jury: User) -> None:
    comment = CommentFactory.create(competition=raced)
    hide(comment.pk, "Rude.", SOON, jury)

    told = undo(only("hidden").pk, WHY, SOON, jury)

    comment.refresh_from_db()
    assert comment.hidden_at is None
    assert (told.act, told.reason) == ("competition.shown", WHY)


def test_what_was_undone_by_hand_meanwhile_is_refused(raced: Competition, jury: User) -> None:
    disqualify(raced, player("alice"), "Came by car.", SOON, jury)
    entry = only("disqualified")
    reinstate(raced, player("alice"), "By foot.", SOON, jury)

    with pytest.raises(NotUndoable, match="does not stand"):
        undo(entry.pk, WHY, SOON, jury)

    assert AuditEntry.objects.filter(undoes__isnull=False).count() == 0


@pytest.mark.parametrize("kind", ["published", "extended"])
def test_what_others_have_acted_on_has_no_undo(raced: Competition, jury: User, kind: str) -> None:
    change_end(raced, raced.ends_at + DAY, "Rain.", SOON, jury)

    with pytest.raises(NotUndoable, match="kind"):
        undo(only(kind).pk, WHY, SOON, jury)


def test_whoever_was_erased_is_not_disqualified_from_the_log(raced: Competition, jury: User) -> None:
    disqualify(raced, player("alice"), "Came by car.", SOON, jury)
    reinstate(raced, player("alice"), "By foot.", SOON, jury)
    number = player("alice").pk

    erase_player("alice", SOON)

    entries = AuditEntry.objects.filter(subjects__kind="player", subjects__key=str(number))
    assert "alice" not in str(list(entries.values()))
    assert "car" not in str(list(entries.values()))
    with pytest.raises(SunwiError):
        undo(only("disqualified").pk, WHY, SOON, jury)


def test_delivered_rewards_are_one_entry(raced: Competition) -> None:
    period, granted = period_of(raced), {"competition": raced, "rank": 1, "name": "gold", "granted_at": SOON}
    grants = [RewardGrant.objects.create(period=period, player=player(name), **granted) for name in ("alice", "bob")]

    first, again = (mark_delivered(RewardGrant.objects.all(), SOON) for _ in range(2))

    entry = AuditEntry.objects.get(act="reward.delivered")
    assert (first, again, entry.note) == (2, 0, {"number": 2})
    assert sorted(entry.keys("reward")) == sorted(str(grant.pk) for grant in grants)
