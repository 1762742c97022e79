"""Reporting a comment on its page, and what moderators see and do there."""

import pytest
from django.test import Client

from competitions.models import Comment, CommentReport, Competition
from competitions.services.comments.reports import report
from foundation import clock
from tests.competitions.site import player
from tests.competitions.views.conftest import home, of
from tests.leaderboards.views.pages import signed_in, text
from tests.staff import staff

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("links")]


@pytest.fixture
def moderator(db: None) -> Client:
    return staff("competitions.change_comment", "competitions.view_comment", name="moderator")


def test_a_player_reports_with_a_reason_and_reads_that_they_did(
    cup: Competition, comment: Comment, bob: Client
) -> None:
    address = of(cup, f"{comment.pk}/report/")
    assert address in bob.get(home(cup)).content.decode()
    assert "Moderators read your reason." in text(bob.get(address))

    refused = bob.post(address, {"reason": " "})
    answer = bob.post(address, {"reason": "Rude."})

    assert (refused.status_code, "Give a reason of 1 to 300 characters." in text(refused)) == (400, True)
    assert answer.status_code == 302
    assert CommentReport.objects.get().reason == "Rude."
    page = bob.get(home(cup)).content.decode()
    assert "You reported this." in page
    assert address not in page
    assert "Rude." not in page


def test_authors_visitors_and_players_see_nothing_of_reports(
    cup: Competition, comment: Comment, ann: Client, client: Client
) -> None:
    report(comment.pk, player("bob"), "Rude.", clock.now())
    address = of(cup, f"{comment.pk}/report/")

    for who in (ann, client, signed_in(Client(), "cleo", "cleo")):
        assert "Rude." not in who.get(home(cup)).content.decode()
        assert "Reported by" not in text(who.get(home(cup)))
    assert address not in ann.get(home(cup)).content.decode()
    assert ann.get(address).status_code == 404
    assert client.get(address)["Location"].startswith("/accounts/login/")
    assert ann.get(of(cup, f"{comment.pk}/dismiss/")).status_code == 404


def test_moderators_read_the_reasons_at_the_comment_and_dismiss_them_there(
    cup: Competition, comment: Comment, moderator: Client
) -> None:
    report(comment.pk, player("bob"), "Rude.", clock.now())
    report(comment.pk, player("cleo"), "Spam.", clock.now())
    address = of(cup, f"{comment.pk}/dismiss/")

    page = moderator.get(home(cup))
    asked = text(moderator.get(address))
    answer = moderator.post(address)

    assert "Reported by 2 players Rude. Spam." in text(page)
    assert address in page.content.decode()
    assert "Rude. Spam. The comment stays." in asked
    assert answer.status_code == 302
    assert "Reported by" not in text(moderator.get(home(cup)))
    assert "No report is open any more." in text(moderator.get(address))
    assert "Helo" in text(Client().get(home(cup)))


def test_the_admins_list_has_the_open_ones_and_dismisses_many(comment: Comment, moderator: Client) -> None:
    report(comment.pk, player("bob"), "Rude.", clock.now())
    listed = "/admin/competitions/comment/"

    found = [text(moderator.get(f"{listed}{rest}")) for rest in ("?reports=open", "?reports=any", "")]
    row = text(moderator.get(f"{listed}{comment.pk}/change/"))
    done = moderator.post(listed, {"action": "dismiss", "_selected_action": [comment.pk]}, follow=True)

    assert ["Helo" in each for each in found] == [True] * 3
    assert "bob · Rude. · open" in row
    assert "Done: 1. ann: Helo" in text(done)
    assert "Helo" not in text(moderator.get(f"{listed}?reports=open"))
    assert "bob · Rude. · dismissed" in text(moderator.get(f"{listed}{comment.pk}/change/"))


def test_needs_you_names_the_first_with_what_can_be_done(cup: Competition, comment: Comment, moderator: Client) -> None:
    report(comment.pk, player("bob"), "Rude.", clock.now())

    home_page = moderator.get("/admin/")

    assert "Reported comment" in text(home_page)
    assert "“Helo” in A cup: Rude." in text(home_page)
    for address in (of(cup, f"{comment.pk}/hide/"), of(cup, f"{comment.pk}/dismiss/")):
        assert f'href="{address}"' in home_page.content.decode()
        assert moderator.get(address).status_code == 200
    assert "Reported comment" not in text(staff("leaderboards.view_board").get("/admin/"))
