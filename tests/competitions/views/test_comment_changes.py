"""Comments that are edited, deleted, hidden and shown again, and by whom."""

from urllib.parse import quote

import pytest
from django.test import Client

from competitions.models import Comment
from competitions.services.moderate import hide
from foundation import clock
from tests.competitions.site import open_competition
from tests.competitions.talking import say
from tests.competitions.views.comment_pages import moderator, of
from tests.leaderboards.views.pages import signed_in, text

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]


class TestChanging:
    """One's own words, and nobody else's."""

    def test_an_author_edits_and_it_is_marked(self, client: Client) -> None:
        competition = open_competition()
        signed_in(client, "ann", "ann")
        comment = say(competition, "ann", "Helo")
        address = of(competition, f"{comment.pk}/edit/")

        asked = client.get(address).content.decode()
        refused = client.post(address, {"text": " "})
        client.post(address, {"text": "Hello"})

        assert "Helo</textarea>" in asked
        assert "Write something first." in text(refused)
        assert "edited Hello" in text(client.get(of(competition)))

    def test_changes_are_braked_like_comments_and_kept_in_the_form(self, client: Client) -> None:
        competition = open_competition()
        signed_in(client, "ann", "ann")
        address = of(competition, f"{say(competition, 'ann', 'Hello').pk}/edit/")

        answers = [client.post(address, {"text": f"Number {number}"}) for number in range(6)]

        assert [answer.status_code for answer in answers] == [302] * 5 + [400]
        assert "Number 5" in answers[5].content.decode()
        assert "Number 4" in text(client.get(of(competition)))

    def test_an_author_deletes_and_it_is_gone(self, client: Client) -> None:
        competition = open_competition()
        signed_in(client, "ann", "ann")
        comment = say(competition, "ann", "Hello")
        address = of(competition, f"{comment.pk}/delete/")

        assert "Hello" in text(client.get(address))
        answer = client.post(address)

        assert answer["Location"] == of(competition, "#comments")
        assert "Hello" not in text(client.get(of(competition)))
        assert client.post(address).status_code == 404

    @pytest.mark.parametrize("act", ["edit", "delete", "hide"])
    def test_others_find_nothing(self, client: Client, act: str) -> None:
        competition = open_competition()
        comment = say(competition, "ann", "Hello")
        address = of(competition, f"{comment.pk}/{act}/")
        stranger = signed_in(Client(), "bob", "bob")

        assert client.get(address)["Location"] == f"/accounts/login/?next={quote(address)}"
        assert stranger.get(address).status_code == 404
        assert stranger.post(address, {"text": "Mine", "reason": "x"}).status_code == 404
        assert Comment.objects.get().text == "Hello"


class TestModerating:
    """Hidden by a moderator, for all but its author and other moderators."""

    def test_hidden_with_a_reason_and_shown_again(self, client: Client) -> None:
        competition = open_competition()
        comment = say(competition, "ann", "Rude words")
        staff, author = moderator(), signed_in(Client(), "ann", "ann")
        address = of(competition, f"{comment.pk}/hide/")

        without = staff.post(address, {"reason": " "})
        staff.post(address, {"reason": "Be kind."})

        assert "Give a reason" in text(without)
        assert "Rude words" not in text(client.get(of(competition)))
        assert "Nobody has said anything yet." in text(client.get(of(competition)))
        assert "Hidden by a moderator: Be kind. Rude words" in text(author.get(of(competition)))
        assert "Hidden by a moderator: Be kind. Rude words" in text(staff.get(of(competition)))
        assert client.get(of(competition, f"{comment.pk}/")).status_code == 404

        staff.post(address, {"hidden": "0"})
        assert "Rude words" in text(client.get(of(competition)))

    def test_its_author_deletes_it_and_does_not_edit_it(self, client: Client) -> None:
        competition = open_competition()
        comment = say(competition, "ann", "Rude words")
        hide(comment.pk, "Be kind.", clock.now(), None)
        signed_in(client, "ann", "ann")

        refused = client.post(of(competition, f"{comment.pk}/edit/"), {"text": "Kind words"})
        client.post(of(competition, f"{comment.pk}/delete/"))

        assert "A moderator has hidden this comment." in text(refused)
        assert Comment.objects.get().deleted_at is not None
