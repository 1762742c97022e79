"""Participants, snapshots, notices, e-mails and rewards in the admin."""

import csv
import io

import pytest
from django.test import Client

from competitions.models import Change, Mail, Notice, Participant, RewardGrant, RewardTier
from competitions.services.finish import finish
from competitions.services.reward import grant_due
from competitions.services.snapshot import take
from foundation import clock
from tests.competitions.admin.typed import page
from tests.competitions.site import (
    DAY,
    HOUR,
    SOON,
    START,
    joined,
    make_board,
    open_competition,
    points_of,
    raced,
    reloaded,
)

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("links")]

PARTICIPANTS = "/admin/competitions/participant/"
GRANTS = "/admin/competitions/rewardgrant/"
MAILS = "/admin/competitions/mail/"


class TestParticipants:
    """Removed or disqualified, with a reason."""

    @pytest.mark.parametrize(("action", "field"), [("remove", "left_at"), ("disqualify", "disqualified_at")])
    def test_who_goes_leaves_the_ranking_with_a_reason_on_record(self, admin: Client, action: str, field: str) -> None:
        competition = open_competition()
        raced(competition, {"alice": 30, "bob": 20})
        alice = Participant.objects.get(player__external_id="alice")
        wanted = {"action": action, "_selected_action": [alice.pk]}

        asked = admin.post(PARTICIPANTS, wanted)
        without = admin.post(PARTICIPANTS, wanted | {"confirmed": "1", "reason": " "})
        assert "alice: A cup" in asked.content.decode()
        assert "Give a reason" in without.content.decode()
        assert points_of(competition) == {"alice": 30, "bob": 20}

        admin.post(PARTICIPANTS, wanted | {"confirmed": "1", "reason": "Two accounts."})
        alice.refresh_from_db()
        assert getattr(alice, field) is not None
        assert alice.reason == "Two accounts."
        assert points_of(competition) == {"bob": 20}
        assert Change.objects.exclude(kind="published").get().reason == "Two accounts."

    def test_one_that_is_refused_does_not_keep_the_others(self, admin: Client) -> None:
        competition = open_competition()
        joined(competition, "alice", "bob")
        rows = list(Participant.objects.values_list("pk", flat=True))
        wanted = {"action": "remove", "confirmed": "1", "reason": "Gone."}
        admin.post(PARTICIPANTS, wanted | {"_selected_action": rows[:1]})

        answer = admin.post(PARTICIPANTS, wanted | {"_selected_action": rows}, follow=True)

        assert "alice does not take part any more." in answer.content.decode()
        assert "Done: 1." in answer.content.decode()

    def test_they_are_found_by_competition_and_name(self, admin: Client) -> None:
        board = make_board()
        here, there = open_competition(board), open_competition(board)
        joined(here, "alice")
        joined(there, "bob")

        html = page(admin, f"{PARTICIPANTS}?competition__id__exact={here.pk}&q=al")

        assert '<td class="field-player nowrap">alice</td>' in html
        assert '<td class="field-player nowrap">bob</td>' not in html

    def test_staff_without_permission_may_not(self, stranger: Client) -> None:
        joined(open_competition(), "alice")
        row = Participant.objects.get()
        wanted = {"action": "remove", "_selected_action": [row.pk], "confirmed": "1", "reason": "x"}

        assert stranger.post(PARTICIPANTS, wanted).status_code == 403
        row.refresh_from_db()
        assert row.takes_part


class TestRewards:
    """Tiers of boards, and what was granted."""

    def granted(self) -> RewardGrant:
        competition = open_competition(starts_at=START - DAY, ends_at=START + HOUR)
        RewardTier.objects.create(competition=competition, name="Gold", code="gold", kind="rank", limit=1)
        raced(competition, {"alice": 30, "bob": 20}, SOON - DAY)
        finish(reloaded(competition), clock.now())
        grant_due(clock.now())
        return RewardGrant.objects.get()

    def test_grants_are_exported_and_marked_once(self, admin: Client) -> None:
        grant = self.granted()
        wanted = {"_selected_action": [grant.pk]}

        exported = admin.post(GRANTS, wanted | {"action": "export"})
        header, line = csv.reader(io.StringIO(b"".join(exported).decode(), newline=""))
        row = dict(zip(header, line, strict=True))
        assert (row["reward"], row["code"], row["player"], row["rank"], row["delivered_at"]) == (
            *("Gold", "gold", "alice", "1", ""),
        )

        first = admin.post(GRANTS, wanted | {"action": "deliver"}, follow=True)
        second = admin.post(GRANTS, wanted | {"action": "deliver"}, follow=True)
        assert "Marked as delivered: 1." in first.content.decode()
        assert "Marked as delivered: 0." in second.content.decode()
        assert RewardGrant.objects.get().delivered_at is not None

    def test_a_boards_reward_is_made_and_stays_with_its_board(self, admin: Client) -> None:
        weekly, other = make_board(name="W", period="week"), make_board(name="O", period="week")
        tier = {"board": weekly.pk, "name": "Top", "code": "", "kind": "percent", "from_rank": "1", "limit": "10"}

        admin.post("/admin/competitions/rewardtier/add/", tier)
        made = RewardTier.objects.get()
        moved = admin.post(f"/admin/competitions/rewardtier/{made.pk}/change/", tier | {"board": other.pk})

        assert (made.board, made.competition) == (weekly, None)
        assert "stays with its board" in moved.content.decode()
        assert "<td" in page(admin, "/admin/competitions/rewardtier/")

    def test_a_boards_reward_that_nobody_could_earn_is_refused(self, admin: Client) -> None:
        weekly = make_board(name="W", period="week")
        tier = {"board": weekly.pk, "name": "Top", "code": "", "kind": "percent", "from_rank": "1", "limit": "0"}

        answer = admin.post("/admin/competitions/rewardtier/add/", tier)

        assert "more than 0" in answer.content.decode()
        assert not RewardTier.objects.exists()

    def test_a_boards_reward_by_points_needs_points(self, admin: Client) -> None:
        by_stage = make_board(name="W", period="week", criteria=[{"name": "stage", "bits": 15, "order": "desc"}])
        tier = {"board": by_stage.pk, "name": "Top", "code": "", "kind": "points", "from_rank": "1", "limit": "9"}

        answer = admin.post("/admin/competitions/rewardtier/add/", tier)

        assert "has no points" in answer.content.decode()
        assert not RewardTier.objects.exists()


def test_an_email_that_was_given_up_is_tried_again(admin: Client) -> None:
    competition = open_competition()
    alice = joined(competition, "alice")[0]
    at = clock.now()
    notice = Notice.objects.create(competition=competition, player=alice, kind="first_taken", rank=1, created_at=at)
    mail = Mail.objects.create(notice=notice, to="a@example.com", created_at=at, dead_at=at, tries=9)

    answer = admin.post(MAILS, {"action": "retry", "_selected_action": [mail.pk]}, follow=True)

    mail.refresh_from_db()
    assert "Tried again: 1." in answer.content.decode()
    assert (mail.dead_at, mail.tries) == (None, 0)
    assert "in the inbox" in page(admin, "/admin/competitions/notice/")
    assert "took first place" in page(admin, f"/admin/competitions/notice/{notice.pk}/change/")


def test_a_snapshot_shows_its_first_rows(admin: Client) -> None:
    competition = open_competition()
    raced(competition, {"alice": 30, "bob": 20})
    snapshot = take(competition, SOON, SOON)
    assert snapshot is not None

    html = page(admin, f"/admin/competitions/snapshot/{snapshot.pk}/change/")

    assert "1. alice<br>2. bob<br>" in html
    assert "A cup" in page(admin, "/admin/competitions/snapshot/")
