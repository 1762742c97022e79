"""Rewards taken back and given back in the admin: what is foreseen is what happens, and refusals say so."""

import re

import pytest
from django.contrib.admin.models import LogEntry
from django.test import Client

from competitions.models import Change, Competition, RewardGrant
from competitions.services.rewards.reward import mark_delivered
from foundation import clock
from tests.competitions.admin.test_others import GRANTS, said

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("links")]

NEXT = {"confirmed": "1", "reason": "Twice.", "instead": "next"}


def foreseen(page: str) -> set[tuple[str, ...]]:
    """The rows of the table: player, place, reward, what happens."""
    [table] = re.findall(r"<tbody>(.*?)</tbody>", page, re.S)
    cells = [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.S) for row in re.findall(r"<tr>(.*?)</tr>", table, re.S)]
    return {tuple(each) for each in cells}


def standing() -> set[tuple[str, str]]:
    return set(RewardGrant.objects.filter(revoked_at=None).values_list("player__external_id", "name"))


def test_the_page_tells_who_would_lose_and_get_what_and_so_it_comes(admin: Client, cup: Competition) -> None:
    gold = RewardGrant.objects.get(name="Gold")

    page = said(admin, GRANTS, "take_back", gold.pk)

    assert "<caption>If the next in line gets them: A cup</caption>" in page
    assert "No rank changes, and no revision of a result is made" in page
    assert "Show again" not in page  # it hangs on nothing that is typed
    assert '<button type="submit" class="confirm-yes is-grave">Yes: Take back rewards</button>' in page
    assert foreseen(page) == {
        ("alice", "1", "Gold", "loses it"),
        ("bob", "2", "Silver", "loses it"),
        ("bob", "2", "Gold", "gets it"),
        ("cleo", "3", "Silver", "gets it"),
    }
    assert re.search(r'<input type="radio" name="instead" value="next"[^>]* checked', page)
    assert standing() == {("alice", "Gold"), ("bob", "Silver")}

    assert "Done: 1." in said(admin, GRANTS, "take_back", gold.pk, **NEXT)

    assert standing() == {("bob", "Gold"), ("cleo", "Silver")}
    change = Change.objects.get(kind="taken_back")
    assert (change.by, change.reason, change.details["instead"]) == (admin_user(), "Twice.", "next")
    assert LogEntry.objects.get(object_id=str(gold.pk)).change_message == "take_back: Twice."
    assert "there is nothing to take back" in said(admin, GRANTS, "take_back", gold.pk, **NEXT)

    mark_delivered(RewardGrant.objects.filter(name="Silver"), clock.now())
    page = said(admin, GRANTS, "give_back", gold.pk)
    assert foreseen(page) == {
        ("alice", "1", "Gold", "gets it"),
        ("bob", "2", "Silver", "gets it"),
        ("bob", "2", "Gold", "loses it"),
        ("cleo", "3", "Silver", "loses it (it was delivered already)"),
    }
    assert "Done: 1." in said(admin, GRANTS, "give_back", gold.pk, confirmed="1", reason="It was right.")
    assert standing() == {("alice", "Gold"), ("bob", "Silver")}


def admin_user() -> object:
    """Who acts as the admin."""
    [only] = {entry.user for entry in LogEntry.objects.all()}
    return only


def test_rewards_of_a_competition_are_one_act_so_the_next_in_line_are_none_of_them(
    admin: Client, cup: Competition
) -> None:
    both = RewardGrant.objects.values_list("pk", flat=True)

    assert "Done: 2." in said(admin, GRANTS, "take_back", *both, **NEXT)

    assert standing() == {("cleo", "Gold")}
    assert set(RewardGrant.objects.filter(player__external_id="bob").values_list("name", flat=True)) == {"Silver"}


@pytest.mark.parametrize("instead", ["", "everybody"])
def test_without_a_choice_nothing_happens(admin: Client, cup: Competition, instead: str) -> None:
    gold = RewardGrant.objects.get(name="Gold")

    page = said(admin, GRANTS, "take_back", gold.pk, confirmed="1", reason="Twice.", instead=instead)

    assert 'class="errorlist"' in page
    assert standing() == {("alice", "Gold"), ("bob", "Silver")}


def test_nobody_gets_it_if_so_chosen(admin: Client, cup: Competition) -> None:
    gold = RewardGrant.objects.get(name="Gold")

    said(admin, GRANTS, "take_back", gold.pk, confirmed="1", reason="Twice.", instead="nobody")

    assert standing() == {("bob", "Silver")}
