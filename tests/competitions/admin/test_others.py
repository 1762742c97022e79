"""Participants, comments, snapshots, notices, e-mails and rewards in the admin."""

import csv
import io
import re
from typing import Any

import pytest
from django.conf import LazySettings
from django.test import Client

from competitions.models import Comment, Competition, Mail, Notice, Participant, RewardGrant, RewardTier
from competitions.services.lifecycle.finish import finish
from competitions.services.lifecycle.snapshots import take_snapshot
from competitions.services.rewards.reward import grant_due_rewards
from foundation import clock
from tests.competitions.admin.typed import ADD, LIST, act, change, page
from tests.competitions.factories import DAY, HOUR, START, CommentFactory, RewardTierFactory
from tests.competitions.site import (
    SOON,
    joined,
    make_board,
    open_competition,
    period_of,
    player,
    points_of,
    raced,
    ranks,
)
from tests.competitions.talking import say
from tests.staff import staff

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("links")]

HOME = "/admin/competitions"
PARTICIPANTS, COMMENTS, GRANTS, TIERS = (
    f"{HOME}/{each}/" for each in ("participant", "comment", "rewardgrant", "rewardtier")
)


def acted(client: Client, address: str, action: str, *rows: int, **more: str) -> Any:
    """The answer to this action for the chosen rows; what is confirmed was looked at before."""
    sent = {"action": action, "_selected_action": rows, **more}
    looked = client.post(address, {**sent, "look": "1"}, follow=True).context if "confirmed" in more else None
    shown = {} if looked is None else {"shown": looked.get("shown_seal", "")}
    return client.post(address, {**sent, **shown}, follow=True)


def said(client: Client, address: str, action: str, *rows: int, **more: str) -> str:
    """What the page says after it."""
    return str(acted(client, address, action, *rows, **more).content.decode())


@pytest.mark.parametrize(("action", "field"), [("remove", "left_at"), ("disqualify", "disqualified_at")])
def test_who_goes_leaves_the_ranking_with_a_reason_on_record(admin: Client, action: str, field: str) -> None:
    competition = open_competition()
    raced(competition, {"alice": 30, "bob": 20})
    alice = Participant.objects.get(player__external_id="alice")

    assert "alice: A cup" in said(admin, PARTICIPANTS, action, alice.pk)
    assert "Give a reason" in said(admin, PARTICIPANTS, action, alice.pk, confirmed="1", reason=" ")
    assert points_of(competition) == {"alice": 30, "bob": 20}

    told = said(admin, PARTICIPANTS, action, alice.pk, confirmed="1", reason="Two accounts.")
    alice.refresh_from_db()
    assert "Done: 1." in told
    assert getattr(alice, field) is not None
    assert alice.reason == "Two accounts."
    assert ranks(competition) == [("bob", 1, 20)]


def test_who_left_by_mistake_is_brought_back_with_a_reason_and_who_has_not_gone_stays(admin: Client) -> None:
    competition = open_competition()
    raced(competition, {"alice": 30, "bob": 20})
    alice = Participant.objects.get(player__external_id="alice")
    said(admin, PARTICIPANTS, "remove", alice.pk, confirmed="1", reason="Asked by mail.")

    asked = said(admin, PARTICIPANTS, "bring_back", alice.pk)
    gone = ranks(competition)
    done = said(admin, PARTICIPANTS, "bring_back", alice.pk, confirmed="1", reason="It was another Alice.")

    assert "with the scores that they had then" in asked
    assert gone == [("bob", 1, 20)]
    assert "Done: 1." in done
    assert ranks(competition) == [("alice", 1, 30), ("bob", 2, 20)]


def test_the_page_says_of_whom_it_brings_back_that_they_stay_disqualified(admin: Client) -> None:
    competition = open_competition()
    raced(competition, {"alice": 30, "bob": 20})
    alice, bob = (Participant.objects.get(player__external_id=name) for name in ("alice", "bob"))
    for each in (alice, bob):
        said(admin, PARTICIPANTS, "remove", each.pk, confirmed="1", reason="Asked by mail.")
    said(admin, PARTICIPANTS, "disqualify", alice.pk, confirmed="1", reason="Two accounts.")

    assert "still so afterwards: alice. Reinstate" in said(admin, PARTICIPANTS, "bring_back", alice.pk, bob.pk)
    assert "still so afterwards" not in said(admin, PARTICIPANTS, "bring_back", bob.pk)


def test_where_there_are_teams_the_page_says_what_becomes_of_them(admin: Client) -> None:
    teamless, teams = open_competition(), open_competition(team_score="sum")
    for competition in (teamless, teams):
        joined(competition, "alice")

    pages = [said(admin, PARTICIPANTS, "bring_back", each.participants.get().pk) for each in (teamless, teams)]

    assert ["in their team of before" in each for each in pages] == [False, True]


def test_who_was_disqualified_is_reinstated_with_a_reason(admin: Client) -> None:
    competition = open_competition()
    raced(competition, {"alice": 30, "bob": 20})
    alice = Participant.objects.get(player__external_id="alice")
    said(admin, PARTICIPANTS, "disqualify", alice.pk, confirmed="1", reason="Two accounts.")

    assert "Done: 1." in said(admin, PARTICIPANTS, "reinstate", alice.pk, confirmed="1", reason="They are sisters.")

    assert ranks(competition) == [("alice", 1, 30), ("bob", 2, 20)]


def test_a_comment_is_hidden_with_a_reason_and_shown_again_and_one_that_is_refused_keeps_no_other(
    admin: Client,
) -> None:
    comment = CommentFactory.create(player__external_id="ann", text="Rude words")
    gone = say(comment.competition, "bob")
    Comment.objects.filter(pk=gone.pk).update(text="", deleted_at=gone.created_at)

    assert "ann: Rude words" in said(admin, COMMENTS, "hide", comment.pk)
    hidden = said(admin, COMMENTS, "hide", gone.pk, comment.pk, confirmed="1", reason="Be kind.")
    comment.refresh_from_db()
    assert f"There is no comment {gone.pk}." in hidden
    assert "Done: 1." in hidden
    assert (comment.is_visible, comment.hidden_reason) == (False, "Be kind.")
    assert "Be kind." in page(admin, f"{COMMENTS}{comment.pk}/change/")

    said(admin, COMMENTS, "show", comment.pk)
    comment.refresh_from_db()
    assert comment.is_visible


def test_they_are_found_by_competition_name_and_words(admin: Client) -> None:
    here = open_competition()
    joined(here, "alice", "bob")
    say(here, "ann", "Rain again")
    say(open_competition(here.board), "bob", "Sunshine")

    people = page(admin, f"{PARTICIPANTS}?competition__id__exact={here.pk}&q=al")
    listed, found = (page(admin, f"{COMMENTS}?{by}") for by in (f"competition__id__exact={here.pk}", "q=sunsh"))

    assert 'class="field-player nowrap">alice</td>' in people
    assert 'class="field-player nowrap">bob</td>' not in people
    assert ("Rain again" in listed, "Sunshine" in listed) == (True, False)
    assert ("Rain again" in found, "Sunshine" in found) == (False, True)


def test_staff_without_permission_neither_see_nor_act(stranger: Client) -> None:
    comment = CommentFactory.create()
    joined(comment.competition, "alice")
    row = Participant.objects.get()
    cup = comment.competition

    for address in (LIST, ADD, change(cup), act(cup, "standings"), act(cup, "cancel")):
        assert stranger.get(address).status_code == 403, address
    for address, action, number in ((PARTICIPANTS, "remove", row.pk), (COMMENTS, "hide", comment.pk)):
        assert acted(stranger, address, action, number, confirmed="1", reason="x").status_code == 403
    for each in (row, comment):
        each.refresh_from_db()
    assert row.takes_part
    assert comment.is_visible


def test_grants_are_exported_and_marked_once(admin: Client, settings: LazySettings) -> None:
    competition = open_competition(starts_at=START - DAY, ends_at=START + HOUR)
    RewardTierFactory.create(competition=competition)
    raced(competition, {"alice": 30, "bob": 20}, SOON - DAY)
    finish(competition, clock.now())
    grant_due_rewards(clock.now())
    grant = RewardGrant.objects.get()

    exported = acted(admin, GRANTS, "export", grant.pk)
    header, line = csv.reader(io.StringIO(b"".join(exported).decode(), newline=""))
    row = dict(zip(header, line, strict=True))
    told = ",".join(row[each] for each in ("reward", "code", "player", "rank", "delivered_at"))
    assert told == "Gold,gold,alice,1,"
    assert "Marked as delivered: 1." in said(admin, GRANTS, "deliver", grant.pk)
    assert "Marked as delivered: 0." in said(admin, GRANTS, "deliver", grant.pk)
    assert RewardGrant.objects.get().delivered_at is not None
    settings.EXPORTS_AT_ONCE = 0
    assert acted(admin, GRANTS, "export", grant.pk).status_code == 503


def test_whether_a_reward_was_delivered_is_filtered_by_yes_and_no(admin: Client) -> None:
    html = page(admin, GRANTS)

    filters = re.findall(r'<a href="\?(\w+)__isempty=(\d)">\s*(\w+)', html)
    assert ("delivered_at", "0", "yes") in filters
    assert ("delivered_at", "1", "no") in filters


def test_a_grant_is_taken_back_with_a_reason_found_by_it_exported_with_it_and_given_back(admin: Client) -> None:
    competition = open_competition(starts_at=START - DAY, ends_at=START + HOUR)
    RewardTierFactory.create(competition=competition)
    raced(competition, {"alice": 30, "bob": 20}, SOON - DAY)
    finish(competition, clock.now())
    Competition.objects.update(final_at=clock.now())
    grant_due_rewards(clock.now())
    grant = RewardGrant.objects.get()

    assert "alice: Gold" in said(admin, GRANTS, "take_back", grant.pk)
    assert "Give a reason" in said(admin, GRANTS, "take_back", grant.pk, confirmed="1", reason=" ")
    grant.refresh_from_db()
    assert grant.revoked_at is None
    assert "Done: 1." in said(admin, GRANTS, "take_back", grant.pk, confirmed="1", reason="Twice.", instead="nobody")
    grant.refresh_from_db()
    assert grant.revoked_at is not None
    assert "there is nothing to take back" in said(
        admin, GRANTS, "take_back", grant.pk, confirmed="1", reason="No.", instead="next"
    )
    assert 'class="field-player nowrap">alice</td>' in page(admin, f"{GRANTS}?revoked_at__isempty=0")
    assert 'class="field-player nowrap">alice</td>' not in page(admin, f"{GRANTS}?revoked_at__isempty=1")
    exported = b"".join(acted(admin, GRANTS, "export", grant.pk)).decode()
    header, line = csv.reader(io.StringIO(exported, newline=""))
    row = dict(zip(header, line, strict=True))
    assert (row["revoked_at"], row["revoked_reason"]) == (grant.revoked_at.isoformat(), "Twice.")

    assert "Done: 1." in said(admin, GRANTS, "give_back", grant.pk, confirmed="1", reason="It was right.")

    assert RewardGrant.objects.get(revoked_at=None).player == grant.player


def test_only_those_who_may_change_rewards_take_them_back(stranger: Client) -> None:
    viewer = staff("view_rewardgrant")
    competition = open_competition()
    raced(competition, {"alice": 30})
    grant = RewardGrant.objects.create(
        period=period_of(competition), competition=competition, player=player("alice"), name="Gold", rank=1,
        granted_at=START,
    )  # fmt: skip  # as a table

    assert acted(stranger, GRANTS, "take_back", grant.pk, confirmed="1", reason="x").status_code == 403
    acted(viewer, GRANTS, "take_back", grant.pk, confirmed="1", reason="x")

    grant.refresh_from_db()
    assert grant.revoked_at is None


def test_a_boards_reward_is_made_if_somebody_can_earn_it_and_stays_with_its_board(admin: Client) -> None:
    weekly, other = make_board(name="W", period="week"), make_board(name="O", period="week")
    tier = {"board": weekly.pk, "name": "Top", "code": "", "kind": "percent", "from_rank": "1", "limit": "10"}

    refused = admin.post(f"{TIERS}add/", tier | {"limit": "0"})
    assert "more than 0" in refused.content.decode()
    assert not RewardTier.objects.exists()

    admin.post(f"{TIERS}add/", tier)
    made = RewardTier.objects.get()
    moved = admin.post(f"{TIERS}{made.pk}/change/", tier | {"board": other.pk})

    assert (made.board, made.competition) == (weekly, None)
    assert "stays with its board" in moved.content.decode()
    assert "<td" in page(admin, TIERS)


def test_an_email_that_was_given_up_is_tried_again_and_notices_and_snapshots_are_shown(admin: Client) -> None:
    competition, at = open_competition(), clock.now()
    raced(competition, {"alice": 30, "bob": 20})
    snapshot = take_snapshot(competition, SOON, SOON)
    notice = Notice.objects.create(
        competition=competition, player=player("alice"), kind="first_taken", rank=1, created_at=at
    )
    mail = Mail.objects.create(notice=notice, to="a@example.com", created_at=at, dead_at=at, tries=9)
    assert snapshot is not None

    assert "Tried again: 1." in said(admin, f"{HOME}/mail/", "retry", mail.pk)
    mail.refresh_from_db()
    assert (mail.dead_at, mail.tries) == (None, 0)
    for address, words in {
        "notice/": "in the inbox",
        f"notice/{notice.pk}/change/": "took first place",
        "snapshot/": "A cup",
        f"snapshot/{snapshot.pk}/change/": "1. alice<br>2. bob<br>",
    }.items():
        assert words in page(admin, f"{HOME}/{address}")
