"""The pages of comments: reading, writing and changing, and who is shown what. Liking is in ``test_liking.py``."""

import re
from urllib.parse import quote

import pytest
from django.test import Client

from competitions.models import Comment, Competition
from competitions.services.comments.moderate import hide
from foundation import clock
from leaderboards.models import Player
from tests.competitions.factories import DAY, END
from tests.competitions.site import open_competition
from tests.competitions.talking import liked, say
from tests.competitions.views.conftest import SetClock, home, of
from tests.leaderboards.views.pages import signed_in, text
from tests.staff import staff

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("links")]


def act(comment: Comment, what: str) -> str:
    return of(comment.competition, f"{comment.pk}/{what}/")


def form_of(client: Client, address: str) -> str:
    found = re.search(r'name="form" value="([^"]+)"', client.get(address).content.decode())
    assert found is not None
    return found[1]


def test_the_newest_come_first_with_author_words_and_likes(client: Client, cup: Competition) -> None:
    for address in (home(cup), of(cup)):
        assert "Nobody has said anything yet. Be the first." in text(client.get(address))
    first, second = say(cup, "ann", "Hello"), say(cup, "bob", "Hi Ann")
    liked(first, "bob", "cleo")

    answer = client.get(home(cup))
    page = text(answer)

    assert page.index("Hi Ann") < page.index("Hello")
    assert "Hello 2 Who likes this" in page
    assert "Sign in to comment" in page
    assert 'href="/players/ann/"' in answer.content.decode()
    assert f'id="comment-{second.pk}"' in client.get(of(cup)).content.decode()


def test_the_most_liked_come_first_on_request_and_those_of_today_above_many(client: Client, cup: Competition) -> None:
    rows = [say(cup, "ann", f"Number {number}.") for number in range(6)]
    liked(rows[2], "bob", "cleo")
    liked(rows[4], "bob")
    Comment.objects.filter(pk=rows[1].pk).update(like_count=2)

    newest, best = text(client.get(of(cup))), text(client.get(of(cup, "?order=likes")))

    assert "Most liked today ann Number 2. ann Number 4. ann" in newest
    assert "Most liked today ann Number 2. ann Number 4. ann Number 5." not in newest
    assert best.index("Number 1.") < best.index("Number 5.")


def test_pages_of_twenty_to_which_each_comments_address_leads(client: Client, cup: Competition) -> None:
    rows = [say(cup, "ann", f"Number {number}.") for number in range(21)]
    other = open_competition(cup.board)

    last, overview = text(client.get(of(cup, "?page=2"))), text(client.get(home(cup)))

    assert ("Number 0." in last, "Number 1." in last, "Page 2 of 2" in last) == (True, False, True)
    assert ("Number 0." in overview, "Older comments" in overview) == (False, True)
    assert "Nothing stands on this page any more." in text(client.get(of(cup, "?page=3")))
    for row, rest in ((rows[0], "?page=2"), (rows[1], ""), (rows[20], "")):
        assert client.get(of(cup, f"{row.pk}/"))["Location"] == of(cup, f"{rest}#comment-{row.pk}")
    for unknown in (of(cup, "?page=0"), of(other, f"{rows[0].pk}/"), of(cup, f"{2**70}/")):
        assert client.get(unknown).status_code == 404, unknown


def test_markup_is_shown_as_it_was_written(client: Client, cup: Competition) -> None:
    say(cup, "<b>ann<b>", "<script>alert(1)</script> https://example.com")

    page = client.get(of(cup)).content.decode()

    assert "&lt;script&gt;alert(1)&lt;/script&gt; https://example.com" in page
    assert "&lt;b&gt;ann" in page
    for markup in ("<script>alert", "<b>ann", 'href="https://example.com'):
        assert markup not in page


def test_a_player_writes_once_and_comes_back_to_their_words_on_this_site_alone(ann: Client, cup: Competition) -> None:
    sent = {"text": "Hello\r\nall", "form": form_of(ann, home(cup)), "next": home(cup)}

    answers = [ann.post(of(cup), sent | more) for more in ({}, {}, {"text": "Two"})]

    first, second = Comment.objects.order_by("pk")
    assert (first.text, first.player.external_id, second.text) == ("Hello\nall", "ann", "Two")
    assert [answer["Location"] for answer in answers] == [
        *[f"{home(cup)}#comment-{first.pk}"] * 2,
        f"{home(cup)}#comment-{second.pk}",
    ]
    for elsewhere in ("//evil.example/", "javascript:alert(1)"):
        assert ann.post(of(cup), sent | {"next": elsewhere})["Location"] == of(cup, f"#comment-{first.pk}")


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("  \n ", "Write something first."),
        ("x" * 2001, "A comment has up to 2,000 characters."),
        ("x\n" * 20 + "x", "A comment has up to 20 lines."),
        ("a\x00b", "There is a character in it that cannot be kept."),
        ("a\u202eb", "There is a mark in it that turns the text around it."),
    ],
)
def test_what_is_refused_stays_in_the_form(ann: Client, cup: Competition, words: str, why: str) -> None:
    answer = ann.post(of(cup), {"text": words})

    assert answer.status_code == 422
    assert why in text(answer)
    assert words.strip()[:1000] in answer.content.decode()
    assert not Comment.objects.exists()


def test_the_sixth_in_a_minute_written_or_changed_is_braked_and_kept_in_the_form(
    ann: Client, bob: Client, cup: Competition, comment: Comment
) -> None:
    written = [bob.post(of(cup), {"text": f"Number {number}"}) for number in range(6)]
    edited = [ann.post(act(comment, "edit"), {"text": f"Change {number}"}) for number in range(6)]

    assert [answer.status_code for answer in written] == [302] * 5 + [429]
    assert [answer.status_code for answer in edited] == [302] * 5 + [400]
    assert "Number 5" in written[5].content.decode()
    assert "Change 5" in edited[5].content.decode()
    assert "Change 4" in text(ann.get(of(cup)))


def test_who_may_not_write_is_shown_the_way_or_no_form(
    client: Client, ann: Client, bob: Client, cup: Competition, set_clock: SetClock
) -> None:
    unlinked = signed_in(Client(), "nobody")
    Player.objects.filter(external_id="ann").update(banned_at=clock.now())

    away, linking, banned = (each.post(of(cup), {"text": "Hello"}) for each in (client, unlinked, ann))
    assert away["Location"] == f"/accounts/login/?next={of(cup)}"
    assert linking["Location"] == "/account/"
    assert "Link your player to comment" in text(unlinked.get(of(cup)))
    assert banned.status_code == 403
    assert "<textarea" not in ann.get(of(cup)).content.decode()

    assert not Comment.objects.exists()

    say(cup, "bob")
    set_clock(END + 30 * DAY)
    assert "Comments are closed." in text(bob.get(of(cup)))
    assert bob.post(of(cup), {"text": "Late"}).status_code == 409
    assert Comment.objects.count() == 1


def test_an_author_edits_which_is_marked_and_deletes(ann: Client, comment: Comment) -> None:
    page = of(comment.competition)
    asked = ann.get(act(comment, "edit")).content.decode()
    refused = ann.post(act(comment, "edit"), {"text": " "})
    ann.post(act(comment, "edit"), {"text": "Hello"})
    assert "Helo</textarea>" in asked
    assert "Write something first." in text(refused)
    assert "edited Hello" in text(ann.get(page))

    sure = text(ann.get(act(comment, "delete")))
    answer = ann.post(act(comment, "delete"))
    assert "Hello" in sure
    assert answer["Location"] == f"{page}#comments"
    assert "Hello" not in text(ann.get(page))
    assert ann.post(act(comment, "delete")).status_code == 404


def test_others_find_nothing(client: Client, bob: Client, comment: Comment) -> None:
    for address in (act(comment, "edit"), act(comment, "delete"), act(comment, "hide")):
        assert client.get(address)["Location"] == f"/accounts/login/?next={quote(address)}"
        assert bob.get(address).status_code == 404
        assert bob.post(address, {"text": "Mine", "reason": "x"}).status_code == 404
    assert Comment.objects.get().text == "Helo"


def test_a_moderator_hides_with_a_reason_and_shows_again_and_meanwhile_its_author_may_but_delete_it(
    client: Client, ann: Client, comment: Comment
) -> None:
    page, moderator = of(comment.competition), staff("change_comment", name="moderator")

    without = moderator.post(act(comment, "hide"), {"reason": " "})
    moderator.post(act(comment, "hide"), {"reason": "Be kind."})

    assert "Give a reason" in text(without)
    assert "Nobody has said anything yet." in text(client.get(page))
    for each in (ann, moderator):
        assert "Hidden by a moderator: Be kind. Helo" in text(each.get(page))
    assert client.get(of(comment.competition, f"{comment.pk}/")).status_code == 404
    assert "A moderator has hidden this comment." in text(ann.post(act(comment, "edit"), {"text": "Kind words"}))

    moderator.post(act(comment, "hide"), {"hidden": "0"})
    assert "Helo" in text(client.get(page))
    hide(comment.pk, "Be kind.", clock.now(), None)
    ann.post(act(comment, "delete"))
    assert Comment.objects.get().deleted_at is not None
