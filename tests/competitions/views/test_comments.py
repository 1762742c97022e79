"""The pages of comments: reading and writing, and who is shown what."""

import re

import pytest
from django.test import Client

from competitions.models import Comment
from competitions.services.cancel import cancel
from foundation import clock
from leaderboards.models import Player
from tests.competitions.site import DAY, END, draft, make_board, open_competition
from tests.competitions.talking import liked, say
from tests.competitions.views.comment_pages import form_of, of
from tests.competitions.views.conftest import SetClock
from tests.leaderboards.views.pages import signed_in, text

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]


class TestReading:
    """What a page shows."""

    def test_nobody_has_said_anything_yet(self, client: Client) -> None:
        competition = open_competition()

        for address in (f"/competitions/{competition.pk}/", of(competition)):
            assert "Nobody has said anything yet. Be the first." in text(client.get(address))

    def test_the_newest_come_first_with_author_words_and_likes(self, client: Client) -> None:
        competition = open_competition()
        first, second = say(competition, "ann", "Hello"), say(competition, "bob", "Hi Ann")
        liked(first, "bob", "cleo")

        page = text(client.get(f"/competitions/{competition.pk}/"))

        assert page.index("Hi Ann") < page.index("Hello")
        assert "Hello 2 Who likes this" in page
        assert "Sign in to comment" in page
        assert f'id="comment-{second.pk}"' in client.get(of(competition)).content.decode()

    def test_names_lead_to_their_players(self, client: Client) -> None:
        competition = open_competition()
        comment = say(competition, "ann", "Hello")
        liked(comment, "한 별")

        page = client.get(f"/competitions/{competition.pk}/").content.decode()
        likers = client.get(f"{of(competition)}{comment.pk}/likes/").content.decode()

        assert 'href="/players/ann/"' in page
        assert 'href="/players/%ED%95%9C%20%EB%B3%84/"' in likers

    def test_the_most_liked_come_first_on_request(self, client: Client) -> None:
        competition = open_competition()
        best, newer = say(competition, "ann", "The best"), say(competition, "bob", "Newer")
        Comment.objects.filter(pk=best.pk).update(like_count=2)

        page = text(client.get(of(competition, "?order=likes")))

        assert page.index("The best") < page.index("Newer")
        assert newer.like_count == 0

    def test_pages_of_twenty(self, client: Client) -> None:
        competition = open_competition()
        for number in range(21):
            say(competition, "ann", f"Number {number}.")

        last = text(client.get(of(competition, "?page=2")))
        overview = text(client.get(f"/competitions/{competition.pk}/"))

        assert "Number 0." in last
        assert "Number 1." not in last
        assert "Page 2 of 2" in last
        assert "Number 0." not in overview
        assert "Older comments" in overview
        assert "Nothing stands on this page any more." in text(client.get(of(competition, "?page=3")))
        assert client.get(of(competition, "?page=0")).status_code == 404

    def test_a_comments_address_leads_to_its_page(self, client: Client) -> None:
        competition = open_competition()
        rows = [say(competition, "ann", f"Number {number}.") for number in range(21)]

        assert client.get(of(competition, f"{rows[0].pk}/"))["Location"] == of(
            competition, f"?page=2#comment-{rows[0].pk}"
        )
        assert client.get(of(competition, f"{rows[20].pk}/"))["Location"] == of(competition, f"#comment-{rows[20].pk}")
        assert client.get(of(open_competition(competition.board), f"{rows[0].pk}/")).status_code == 404
        assert client.get(of(competition, f"{2**70}/")).status_code == 404

    def test_markup_is_shown_as_it_was_written(self, client: Client) -> None:
        competition = open_competition()
        say(competition, "<b>ann</b>".replace("/", ""), "<script>alert(1)</script> https://example.com")

        page = client.get(of(competition)).content.decode()

        assert "&lt;script&gt;alert(1)&lt;/script&gt; https://example.com" in page
        assert "<script>alert" not in page
        assert 'href="https://example.com' not in page

    def test_the_most_liked_of_today_stand_above_many(self, client: Client) -> None:
        competition = open_competition()
        rows = [say(competition, "ann", f"Number {number}.") for number in range(6)]
        liked(rows[2], "bob", "cleo")
        liked(rows[4], "bob")

        page = text(client.get(of(competition)))

        assert "Most liked today ann Number 2. ann Number 4. ann Number 5." not in page
        assert re.search(r"Most liked today ann Number 2\. ann Number 4\. ann", page)

    def test_drafts_and_private_ones_are_for_staff(self, client: Client) -> None:
        private = open_competition(make_board(name="Hidden", visibility="private"))
        comment = say(private, "ann")
        staff = signed_in(Client(), "boss", is_staff=True)

        for address in (of(private), of(private, f"{comment.pk}/"), of(private, f"{comment.pk}/likes/")):
            assert client.get(address).status_code == 404
            assert staff.get(address).status_code in (200, 302)
        assert client.get(of(draft())).status_code == 404


class TestWriting:
    """The form."""

    def test_a_player_writes_and_comes_back_to_his_words(self, client: Client) -> None:
        competition = open_competition()
        signed_in(client, "ann", "ann")
        home = f"/competitions/{competition.pk}/"

        answer = client.post(of(competition), {"text": "Hello\r\nall", "form": form_of(client, home), "next": home})

        made = Comment.objects.get()
        assert (made.text, made.player.external_id) == ("Hello\nall", "ann")
        assert answer["Location"] == f"{home}#comment-{made.pk}"

    def test_a_double_submit_makes_one_comment_and_other_words_another(self, client: Client) -> None:
        competition = open_competition()
        signed_in(client, "ann", "ann")
        form = form_of(client, of(competition))

        answers = [client.post(of(competition), {"text": each, "form": form}) for each in ("One", "One", "Two")]

        assert answers[0]["Location"] == answers[1]["Location"]
        assert set(Comment.objects.values_list("text", flat=True)) == {"One", "Two"}

    @pytest.mark.parametrize(
        ("words", "why"),
        [
            ("  \n ", "Write something first."),
            ("x" * 2001, "A comment has up to 2,000 characters."),
            ("x\n" * 20 + "x", "A comment has up to 20 lines."),
            ("a\x00b", "There is a character in it that cannot be kept."),
        ],
    )
    def test_what_is_refused_stays_in_the_form(self, client: Client, words: str, why: str) -> None:
        competition = open_competition()
        signed_in(client, "ann", "ann")

        answer = client.post(of(competition), {"text": words})

        assert answer.status_code == 422
        assert why in text(answer)
        assert words.strip()[:1000] in answer.content.decode()
        assert not Comment.objects.exists()

    def test_the_sixth_in_a_minute_is_braked_and_kept_in_the_form(self, client: Client) -> None:
        competition = open_competition()
        signed_in(client, "ann", "ann")

        answers = [client.post(of(competition), {"text": f"Number {number}"}) for number in range(6)]

        assert [answer.status_code for answer in answers] == [302] * 5 + [429]
        assert "Number 5" in answers[5].content.decode()

    def test_who_is_not_signed_in_or_has_no_player_is_shown_the_way(self, client: Client) -> None:
        competition = open_competition()
        unlinked = signed_in(Client(), "nobody")

        away = client.post(of(competition), {"text": "Hello"})
        linking = unlinked.post(of(competition), {"text": "Hello"})

        assert away["Location"] == f"/accounts/login/?next={of(competition)}"
        assert linking["Location"] == "/account/"
        assert "Link your player to comment" in text(unlinked.get(of(competition)))
        assert not Comment.objects.exists()

    def test_the_banned_are_offered_no_form_and_refused(self, client: Client) -> None:
        competition = open_competition()
        signed_in(client, "ann", "ann")
        Player.objects.update(banned_at=clock.now())

        answer = client.post(of(competition), {"text": "Hello"})

        assert answer.status_code == 403
        assert "<textarea" not in client.get(of(competition)).content.decode()
        assert not Comment.objects.exists()

    def test_it_closes_thirty_days_after_the_end(self, client: Client, set_clock: SetClock) -> None:
        competition = open_competition()
        signed_in(client, "ann", "ann")
        say(competition, "ann")

        set_clock(END + 30 * DAY)

        assert "Comments are closed." in text(client.get(of(competition)))
        assert client.post(of(competition), {"text": "Late"}).status_code == 409
        assert Comment.objects.count() == 1

    def test_it_closes_after_a_cancelled_one_too(self, client: Client, set_clock: SetClock) -> None:
        competition = open_competition(ends_at=END + 90 * DAY)
        cancel(competition, "Rain.", clock.now(), None)
        signed_in(client, "ann", "ann")

        set_clock(clock.now() + 31 * DAY)

        assert client.post(of(competition), {"text": "Late"}).status_code == 409

    @pytest.mark.parametrize("elsewhere", ["https://evil.example/", "//evil.example/", "javascript:alert(1)"])
    def test_nobody_is_sent_to_another_site(self, client: Client, elsewhere: str) -> None:
        competition = open_competition()
        signed_in(client, "ann", "ann")

        answer = client.post(of(competition), {"text": "Hello", "next": elsewhere})

        assert answer["Location"] == of(competition, f"#comment-{Comment.objects.get().pk}")
