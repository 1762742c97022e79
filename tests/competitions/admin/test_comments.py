"""Comments in the admin: found, hidden with a reason, shown again."""

import pytest
from django.test import Client

from competitions.models import Change, Comment
from tests.competitions.admin.typed import page
from tests.competitions.site import make_board, open_competition
from tests.competitions.talking import say

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("links")]

COMMENTS = "/admin/competitions/comment/"


def test_they_are_found_by_competition_author_and_words(admin: Client) -> None:
    here = open_competition(make_board())
    there = open_competition(here.board)
    say(here, "ann", "Rain again")
    say(there, "bob", "Sunshine")

    listed = page(admin, f"{COMMENTS}?competition__id__exact={here.pk}&deleted_at__isempty=1")

    assert "Rain again" in listed
    assert "Sunshine" not in listed
    assert "Sunshine" in page(admin, f"{COMMENTS}?q=sunsh")
    assert "Rain again" in page(admin, f"{COMMENTS}?q=ann")


def test_hidden_with_a_reason_that_stays_on_record_and_shown_again(admin: Client) -> None:
    comment = say(open_competition(), "ann", "Rude words")
    wanted = {"action": "hide", "_selected_action": [comment.pk]}

    asked = admin.post(COMMENTS, wanted)
    without = admin.post(COMMENTS, wanted | {"confirmed": "1", "reason": " "})
    comment.refresh_from_db()
    assert "ann: Rude words" in asked.content.decode()
    assert "Give a reason" in without.content.decode()
    assert comment.is_visible

    admin.post(COMMENTS, wanted | {"confirmed": "1", "reason": "Be kind."})
    comment.refresh_from_db()
    assert (comment.is_visible, comment.hidden_reason) == (False, "Be kind.")
    assert "Be kind." in page(admin, f"{COMMENTS}{comment.pk}/change/")

    admin.post(COMMENTS, {"action": "show", "_selected_action": [comment.pk]})
    comment.refresh_from_db()
    assert comment.is_visible
    told = Change.objects.exclude(kind="published").order_by("pk").values_list("kind", "reason", "details__comment")
    assert list(told) == [("hidden", "Be kind.", comment.pk), ("shown", "", comment.pk)]


def test_a_deleted_one_is_refused_and_does_not_keep_the_others(admin: Client) -> None:
    competition = open_competition()
    gone, here = say(competition, "ann", "One"), say(competition, "bob", "Two")
    Comment.objects.filter(pk=gone.pk).update(text="", deleted_at=gone.created_at)
    wanted = {"action": "hide", "confirmed": "1", "reason": "Off.", "_selected_action": [gone.pk, here.pk]}

    answer = admin.post(COMMENTS, wanted, follow=True)

    assert f"There is no comment {gone.pk}." in answer.content.decode()
    assert "Done: 1." in answer.content.decode()


def test_staff_without_permission_may_not(stranger: Client) -> None:
    comment = say(open_competition(), "ann")
    wanted = {"action": "hide", "_selected_action": [comment.pk], "confirmed": "1", "reason": "x"}

    assert stranger.post(COMMENTS, wanted).status_code == 403
    comment.refresh_from_db()
    assert comment.is_visible
