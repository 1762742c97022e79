"""Participants, comments, snapshots, notices, e-mails and rewards in the admin."""

import csv
import io
from typing import Any

import pytest
from django.test import Client

from competitions.models import Change, Comment, Mail, Notice, Participant, RewardGrant, RewardTier
from competitions.services.finish import finish
from competitions.services.reward import grant_due
from competitions.services.snapshot import take
from foundation import clock
from tests.competitions.admin.typed import page
from tests.competitions.factories import CommentFactory, CompetitionFactory, RewardTierFactory
from tests.competitions.site import DAY, HOUR, SOON, START, joined, make_board, open_competition, points_of, raced
from tests.competitions.talking import say

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("links")]

HOME = "/admin/competitions"
PARTICIPANTS, COMMENTS, GRANTS, TIERS = (
    f"{HOME}/{each}/" for each in ("participant", "comment", "rewardgrant", "rewardtier")
)


def acted(client: Client, address: str, action: str, *rows: int, **more: str) -> Any:
    """The answer to this action for the chosen rows."""
    return client.post(address, {"action": action, "_selected_action": rows, **more}, follow=True)


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

    acted(admin, PARTICIPANTS, action, alice.pk, confirmed="1", reason="Two accounts.")
    alice.refresh_from_db()
    assert getattr(alice, field) is not None
    assert alice.reason == "Two accounts."
    assert points_of(competition) == {"bob": 20}
    assert Change.objects.exclude(kind="published").get().reason == "Two accounts."


def test_a_comment_is_hidden_with_a_reason_on_record_and_shown_again(admin: Client) -> None:
    comment = CommentFactory.create(player__external_id="ann", text="Rude words")

    assert "ann: Rude words" in said(admin, COMMENTS, "hide", comment.pk)
    assert "Give a reason" in said(admin, COMMENTS, "hide", comment.pk, confirmed="1", reason=" ")
    comment.refresh_from_db()
    assert comment.is_visible

    acted(admin, COMMENTS, "hide", comment.pk, confirmed="1", reason="Be kind.")
    comment.refresh_from_db()
    assert (comment.is_visible, comment.hidden_reason) == (False, "Be kind.")
    assert "Be kind." in page(admin, f"{COMMENTS}{comment.pk}/change/")

    acted(admin, COMMENTS, "show", comment.pk)
    comment.refresh_from_db()
    assert comment.is_visible
    told = Change.objects.exclude(kind="published").order_by("pk").values_list("kind", "reason", "details__comment")
    assert list(told) == [("hidden", "Be kind.", comment.pk), ("shown", "", comment.pk)]


def test_one_that_is_refused_does_not_keep_the_others(admin: Client) -> None:
    competition = open_competition()
    joined(competition, "alice", "bob")
    rows = list(Participant.objects.order_by("pk").values_list("pk", flat=True))
    acted(admin, PARTICIPANTS, "remove", rows[0], confirmed="1", reason="Gone.")
    gone, here = say(competition, "ann", "One"), say(competition, "bob", "Two")
    Comment.objects.filter(pk=gone.pk).update(text="", deleted_at=gone.created_at)

    removed = said(admin, PARTICIPANTS, "remove", *rows, confirmed="1", reason="Gone.")
    hidden = said(admin, COMMENTS, "hide", gone.pk, here.pk, confirmed="1", reason="Off.")

    assert "alice does not take part any more." in removed
    assert f"There is no comment {gone.pk}." in hidden
    for each in (removed, hidden):
        assert "Done: 1." in each


def test_they_are_found_by_competition_name_and_words(admin: Client) -> None:
    here = open_competition()
    there = open_competition(here.board)
    joined(here, "alice")
    joined(there, "bob")
    say(here, "ann", "Rain again")
    say(there, "bob", "Sunshine")

    people = page(admin, f"{PARTICIPANTS}?competition__id__exact={here.pk}&q=al")
    listed = page(admin, f"{COMMENTS}?competition__id__exact={here.pk}&deleted_at__isempty=1")

    assert '<td class="field-player nowrap">alice</td>' in people
    assert '<td class="field-player nowrap">bob</td>' not in people
    assert "Rain again" in listed
    assert "Sunshine" not in listed
    assert "Sunshine" in page(admin, f"{COMMENTS}?q=sunsh")
    assert "Rain again" in page(admin, f"{COMMENTS}?q=ann")


def test_staff_without_permission_may_not(stranger: Client) -> None:
    comment = CommentFactory.create()
    joined(comment.competition, "alice")
    row = Participant.objects.get()

    for address, action, number in ((PARTICIPANTS, "remove", row.pk), (COMMENTS, "hide", comment.pk)):
        assert acted(stranger, address, action, number, confirmed="1", reason="x").status_code == 403
    for each in (row, comment):
        each.refresh_from_db()
    assert row.takes_part
    assert comment.is_visible


def test_grants_are_exported_and_marked_once(admin: Client) -> None:
    competition = open_competition(starts_at=START - DAY, ends_at=START + HOUR)
    RewardTierFactory.create(competition=competition)
    raced(competition, {"alice": 30, "bob": 20}, SOON - DAY)
    finish(competition, clock.now())
    grant_due(clock.now())
    grant = RewardGrant.objects.get()

    exported = acted(admin, GRANTS, "export", grant.pk)
    header, line = csv.reader(io.StringIO(b"".join(exported).decode(), newline=""))
    row = dict(zip(header, line, strict=True))
    assert [row[each] for each in ("reward", "code", "player", "rank", "delivered_at")] == [
        *("Gold", "gold", "alice", "1", "")
    ]

    assert "Marked as delivered: 1." in said(admin, GRANTS, "deliver", grant.pk)
    assert "Marked as delivered: 0." in said(admin, GRANTS, "deliver", grant.pk)
    assert RewardGrant.objects.get().delivered_at is not None


def test_a_boards_reward_is_made_if_somebody_can_earn_it_and_stays_with_its_board(admin: Client) -> None:
    weekly, other = make_board(name="W", period="week"), make_board(name="O", period="week")
    by_stage = make_board(name="S", period="week", criteria=[{"name": "stage", "bits": 15, "order": "desc"}])
    tier = {"board": weekly.pk, "name": "Top", "code": "", "kind": "percent", "from_rank": "1", "limit": "10"}

    for wrong, why in (
        ({"limit": "0"}, "more than 0"),
        ({"board": by_stage.pk, "kind": "points", "limit": "9"}, "has no points"),
    ):
        assert why in admin.post(f"{TIERS}add/", tier | wrong).content.decode()
        assert not RewardTier.objects.exists()

    admin.post(f"{TIERS}add/", tier)
    made = RewardTier.objects.get()
    moved = admin.post(f"{TIERS}{made.pk}/change/", tier | {"board": other.pk})

    assert (made.board, made.competition) == (weekly, None)
    assert "stays with its board" in moved.content.decode()
    assert "<td" in page(admin, TIERS)


def test_an_email_that_was_given_up_is_tried_again(admin: Client) -> None:
    competition = CompetitionFactory.create()
    [alice] = joined(competition, "alice")
    at = clock.now()
    notice = Notice.objects.create(competition=competition, player=alice, kind="first_taken", rank=1, created_at=at)
    mail = Mail.objects.create(notice=notice, to="a@example.com", created_at=at, dead_at=at, tries=9)

    assert "Tried again: 1." in said(admin, f"{HOME}/mail/", "retry", mail.pk)

    mail.refresh_from_db()
    assert (mail.dead_at, mail.tries) == (None, 0)
    assert "in the inbox" in page(admin, f"{HOME}/notice/")
    assert "took first place" in page(admin, f"{HOME}/notice/{notice.pk}/change/")


def test_a_snapshot_shows_its_first_rows(admin: Client) -> None:
    competition = open_competition()
    raced(competition, {"alice": 30, "bob": 20})
    snapshot = take(competition, SOON, SOON)
    assert snapshot is not None

    assert "1. alice<br>2. bob<br>" in page(admin, f"{HOME}/snapshot/{snapshot.pk}/change/")
    assert "A cup" in page(admin, f"{HOME}/snapshot/")
