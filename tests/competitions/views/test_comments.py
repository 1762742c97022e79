"""The pages of comments: reading, writing and changing, and who is shown what."""

import re
from urllib.parse import quote

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client

from competitions.models import Comment, Competition
from competitions.services.moderate import hide
from foundation import clock
from leaderboards.models import Player
from tests.competitions.factories import CompetitionFactory
from tests.competitions.site import DAY, END, open_competition
from tests.competitions.talking import liked, say
from tests.competitions.views.conftest import SetClock, of
from tests.leaderboards.views.pages import signed_in, text

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("links")]


@pytest.fixture
def cup() -> Competition:
    return CompetitionFactory.create()


@pytest.fixture
def comment(cup: Competition) -> Comment:
    """What ann said."""
    return say(cup, "ann", "Helo")


def act(comment: Comment, what: str) -> str:
    return of(comment.competition, f"{comment.pk}/{what}/")


def form_of(client: Client, address: str) -> str:
    found = re.search(r'name="form" value="([^"]+)"', client.get(address).content.decode())
    assert found is not None
    return found[1]


def home(competition: Competition) -> str:
    return f"/competitions/{competition.pk}/"


class TestReading:
    """What a page shows."""

    def test_nobody_has_said_anything_yet(self, client: Client, cup: Competition) -> None:
        for address in (home(cup), of(cup)):
            assert "Nobody has said anything yet. Be the first." in text(client.get(address))

    def test_the_newest_come_first_with_author_words_and_likes(self, client: Client, cup: Competition) -> None:
        first, second = say(cup, "ann", "Hello"), say(cup, "bob", "Hi Ann")
        liked(first, "bob", "cleo")

        answer = client.get(home(cup))
        page = text(answer)

        assert page.index("Hi Ann") < page.index("Hello")
        assert "Hello 2 Who likes this" in page
        assert "Sign in to comment" in page
        assert 'href="/players/ann/"' in answer.content.decode()
        assert f'id="comment-{second.pk}"' in client.get(of(cup)).content.decode()

    def test_the_most_liked_come_first_on_request_and_those_of_today_above_many(
        self, client: Client, cup: Competition
    ) -> None:
        rows = [say(cup, "ann", f"Number {number}.") for number in range(6)]
        liked(rows[2], "bob", "cleo")
        liked(rows[4], "bob")
        Comment.objects.filter(pk=rows[1].pk).update(like_count=2)

        newest, best = text(client.get(of(cup))), text(client.get(of(cup, "?order=likes")))

        assert "Most liked today ann Number 2. ann Number 4. ann" in newest
        assert "Most liked today ann Number 2. ann Number 4. ann Number 5." not in newest
        assert best.index("Number 1.") < best.index("Number 5.")

    def test_pages_of_twenty_to_which_each_comments_address_leads(self, client: Client, cup: Competition) -> None:
        rows = [say(cup, "ann", f"Number {number}.") for number in range(21)]
        other = open_competition(cup.board)

        last, overview = text(client.get(of(cup, "?page=2"))), text(client.get(home(cup)))

        assert "Number 0." in last
        assert "Number 1." not in last
        assert "Page 2 of 2" in last
        assert "Number 0." not in overview
        assert "Older comments" in overview
        assert "Nothing stands on this page any more." in text(client.get(of(cup, "?page=3")))
        for row, rest in ((rows[0], "?page=2"), (rows[20], "")):
            assert client.get(of(cup, f"{row.pk}/"))["Location"] == of(cup, f"{rest}#comment-{row.pk}")
        for unknown in (of(cup, "?page=0"), of(other, f"{rows[0].pk}/"), of(cup, f"{2**70}/")):
            assert client.get(unknown).status_code == 404, unknown

    def test_markup_is_shown_as_it_was_written(self, client: Client, cup: Competition) -> None:
        say(cup, "<b>ann<b>", "<script>alert(1)</script> https://example.com")

        page = client.get(of(cup)).content.decode()

        assert "&lt;script&gt;alert(1)&lt;/script&gt; https://example.com" in page
        assert "&lt;b&gt;ann" in page
        assert "<script>alert" not in page
        assert "<b>ann" not in page
        assert 'href="https://example.com' not in page


class TestWriting:
    """The form."""

    def test_a_player_writes_once_and_comes_back_to_their_words(self, ann: Client, cup: Competition) -> None:
        sent = {"text": "Hello\r\nall", "form": form_of(ann, home(cup)), "next": home(cup)}

        answers = [ann.post(of(cup), sent | more) for more in ({}, {}, {"text": "Two"})]

        first, second = Comment.objects.order_by("pk")
        assert (first.text, first.player.external_id, second.text) == ("Hello\nall", "ann", "Two")
        assert [answer["Location"] for answer in answers] == [
            *[f"{home(cup)}#comment-{first.pk}"] * 2,
            f"{home(cup)}#comment-{second.pk}",
        ]

    @pytest.mark.parametrize(
        ("words", "why"),
        [
            ("  \n ", "Write something first."),
            ("x" * 2001, "A comment has up to 2,000 characters."),
            ("x\n" * 20 + "x", "A comment has up to 20 lines."),
            ("a\x00b", "There is a character in it that cannot be kept."),
        ],
    )
    def test_what_is_refused_stays_in_the_form(self, ann: Client, cup: Competition, words: str, why: str) -> None:
        answer = ann.post(of(cup), {"text": words})

        assert answer.status_code == 422
        assert why in text(answer)
        assert words.strip()[:1000] in answer.content.decode()
        assert not Comment.objects.exists()

    def test_the_sixth_in_a_minute_is_braked_and_kept_in_the_form(self, ann: Client, cup: Competition) -> None:
        answers = [ann.post(of(cup), {"text": f"Number {number}"}) for number in range(6)]

        assert [answer.status_code for answer in answers] == [302] * 5 + [429]
        assert "Number 5" in answers[5].content.decode()

    def test_who_may_not_write_is_shown_the_way_or_no_form(self, client: Client, ann: Client, cup: Competition) -> None:
        unlinked = signed_in(Client(), "nobody")
        Player.objects.filter(external_id="ann").update(banned_at=clock.now())

        away, linking, banned = (each.post(of(cup), {"text": "Hello"}) for each in (client, unlinked, ann))

        assert away["Location"] == f"/accounts/login/?next={of(cup)}"
        assert linking["Location"] == "/account/"
        assert "Link your player to comment" in text(unlinked.get(of(cup)))
        assert banned.status_code == 403
        assert "<textarea" not in ann.get(of(cup)).content.decode()
        assert not Comment.objects.exists()

    def test_it_closes_thirty_days_after_the_end(self, ann: Client, cup: Competition, set_clock: SetClock) -> None:
        say(cup, "ann")

        set_clock(END + 30 * DAY)

        assert "Comments are closed." in text(ann.get(of(cup)))
        assert ann.post(of(cup), {"text": "Late"}).status_code == 409
        assert Comment.objects.count() == 1

    @pytest.mark.parametrize("elsewhere", ["https://evil.example/", "//evil.example/", "javascript:alert(1)"])
    def test_nobody_is_sent_to_another_site(self, ann: Client, cup: Competition, elsewhere: str) -> None:
        answer = ann.post(of(cup), {"text": "Hello", "next": elsewhere})

        assert answer["Location"] == of(cup, f"#comment-{Comment.objects.get().pk}")


class TestChanging:
    """One's own words, and nobody else's; and what moderators do."""

    def test_an_author_edits_and_it_is_marked(self, ann: Client, comment: Comment) -> None:
        asked = ann.get(act(comment, "edit")).content.decode()
        refused = ann.post(act(comment, "edit"), {"text": " "})
        ann.post(act(comment, "edit"), {"text": "Hello"})

        assert "Helo</textarea>" in asked
        assert "Write something first." in text(refused)
        assert "edited Hello" in text(ann.get(of(comment.competition)))

    def test_changes_are_braked_like_comments_and_kept_in_the_form(self, ann: Client, comment: Comment) -> None:
        answers = [ann.post(act(comment, "edit"), {"text": f"Number {number}"}) for number in range(6)]

        assert [answer.status_code for answer in answers] == [302] * 5 + [400]
        assert "Number 5" in answers[5].content.decode()
        assert "Number 4" in text(ann.get(of(comment.competition)))

    def test_an_author_deletes_and_it_is_gone(self, ann: Client, comment: Comment) -> None:
        asked = text(ann.get(act(comment, "delete")))
        answer = ann.post(act(comment, "delete"))

        assert "Helo" in asked
        assert answer["Location"] == of(comment.competition, "#comments")
        assert "Helo" not in text(ann.get(of(comment.competition)))
        assert ann.post(act(comment, "delete")).status_code == 404

    def test_others_find_nothing(self, client: Client, bob: Client, comment: Comment) -> None:
        for address in (act(comment, "edit"), act(comment, "delete"), act(comment, "hide")):
            assert client.get(address)["Location"] == f"/accounts/login/?next={quote(address)}"
            assert bob.get(address).status_code == 404
            assert bob.post(address, {"text": "Mine", "reason": "x"}).status_code == 404
        assert Comment.objects.get().text == "Helo"

    def test_a_moderator_hides_with_a_reason_and_shows_again(
        self, client: Client, ann: Client, comment: Comment
    ) -> None:
        page, staff = of(comment.competition), signed_in(Client(), "moderator", is_staff=True)
        User.objects.get(username="moderator").user_permissions.add(Permission.objects.get(codename="change_comment"))

        without = staff.post(act(comment, "hide"), {"reason": " "})
        staff.post(act(comment, "hide"), {"reason": "Be kind."})

        assert "Give a reason" in text(without)
        assert "Helo" not in text(client.get(page))
        assert "Nobody has said anything yet." in text(client.get(page))
        for each in (ann, staff):
            assert "Hidden by a moderator: Be kind. Helo" in text(each.get(page))
        assert client.get(of(comment.competition, f"{comment.pk}/")).status_code == 404

        staff.post(act(comment, "hide"), {"hidden": "0"})
        assert "Helo" in text(client.get(page))

    def test_the_author_of_a_hidden_one_deletes_it_and_does_not_edit_it(self, ann: Client, comment: Comment) -> None:
        hide(comment.pk, "Be kind.", clock.now(), None)

        refused = ann.post(act(comment, "edit"), {"text": "Kind words"})
        ann.post(act(comment, "delete"))

        assert "A moderator has hidden this comment." in text(refused)
        assert Comment.objects.get().deleted_at is not None
