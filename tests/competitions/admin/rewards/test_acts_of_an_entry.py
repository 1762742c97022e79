"""The page of a reward, a participant or a comment offers what the list can do with it, and nothing to readers."""

import re
from typing import Any

import pytest
from django.test import Client

from competitions.models import Comment, Competition, RewardGrant
from foundation import clock
from tests.competitions.factories import CommentFactory
from tests.staff import staff

pytestmark = pytest.mark.django_db(transaction=True)

ACT = re.compile(r'name="action" value="(\w+)"')


def acts(client: Client, row: Any) -> list[str]:
    page = client.get(f"/admin/competitions/{row._meta.model_name}/{row.pk}/change/")
    assert page.status_code == 200
    return ACT.findall(page.content.decode())


def test_a_reward_is_delivered_taken_back_and_given_back_from_its_page(admin: Client, cup: Competition) -> None:
    gold = RewardGrant.objects.get(name="Gold")
    assert acts(admin, gold) == ["deliver", "take_back"]

    said = admin.post("/admin/competitions/rewardgrant/", {"action": "deliver", "_selected_action": [gold.pk]})
    assert said.status_code == 302
    assert acts(admin, gold) == ["take_back"]
    RewardGrant.objects.filter(pk=gold.pk).update(revoked_at=clock.now())
    assert acts(admin, gold) == ["give_back"]


def test_a_participants_page_offers_what_their_state_allows(admin: Client, cup: Competition) -> None:
    row = cup.participants.all()[0]

    assert acts(admin, row) == ["move", "remove", "disqualify"]
    cup.participants.update(left_at=clock.now())
    assert acts(admin, row) == ["bring_back"]
    cup.participants.update(disqualified_at=clock.now())
    assert acts(admin, row) == ["reinstate"]


def test_a_comment_is_hidden_and_shown_again_from_its_page_and_the_message_leads_to_the_log(
    admin: Client, cup: Competition
) -> None:
    comment: Comment = CommentFactory.create(competition=cup)
    assert acts(admin, comment) == ["hide"]
    hiding = {"action": "hide", "_selected_action": [comment.pk], "confirmed": "1", "reason": "Rude."}

    done = admin.post("/admin/competitions/comment/", hiding, follow=True).content.decode()

    assert "Undo it in the audit log" in done
    assert acts(admin, comment) == ["show"]


def test_readers_are_offered_nothing(cup: Competition) -> None:
    reader = staff("competitions.view_rewardgrant", "competitions.view_participant")

    assert acts(reader, RewardGrant.objects.all()[0]) == []
    assert acts(reader, cup.participants.all()[0]) == []
