"""Liking a comment on its page: states, never toggles; with a script and without."""

import pytest
from django.test import Client

from competitions.models import Comment, Competition
from competitions.services.moderate import hide
from foundation import clock
from leaderboards.models import Player
from tests.competitions.site import open_competition
from tests.competitions.talking import liked, say
from tests.leaderboards.views.pages import signed_in, text

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]
SCRIPT = {"Accept": "application/json"}


@pytest.fixture
def comment() -> Comment:
    return say(open_competition(), "ann", "Hello")


def of(comment: Comment, rest: str) -> str:
    return f"/competitions/{comment.competition_id}/comments/{comment.pk}/{rest}"


def page_of(competition: Competition) -> str:
    return f"/competitions/{competition.pk}/comments/"


def test_a_like_and_its_end_lead_back_to_the_comment(client: Client, comment: Comment) -> None:
    signed_in(client, "bob", "bob")
    here = f"/competitions/{comment.competition_id}/?page=1"

    given = client.post(of(comment, "like/"), {"liked": "1", "next": here})
    pressed = client.get(page_of(comment.competition)).content.decode()
    client.post(of(comment, "like/"), {"liked": "0", "next": here})
    released = client.get(page_of(comment.competition)).content.decode()

    assert given["Location"] == f"{here}#comment-{comment.pk}"
    assert 'value="0" aria-pressed="true" aria-label="Like the comment of ann, 1 like"' in pressed
    assert "You like this" in pressed
    assert 'value="1" aria-pressed="false" aria-label="Like the comment of ann, 0 likes"' in released


def test_what_is_sent_twice_counts_once(client: Client, comment: Comment) -> None:
    signed_in(client, "bob", "bob")
    liked(comment, "cleo")

    answers = [client.post(of(comment, "like/"), {"liked": each}, headers=SCRIPT).json() for each in "1100"]

    assert [(each["liked"], each["count"], each["who"]) for each in answers] == [
        *[(True, 2, "You and 1 other")] * 2,
        *[(False, 1, "Who likes this")] * 2,
    ]
    assert answers[0]["label"] == "Like the comment of ann, 2 likes"


@pytest.mark.parametrize("wanted", ["", "2", "true"])
def test_a_like_without_a_state_is_refused(client: Client, comment: Comment, wanted: str) -> None:
    signed_in(client, "bob", "bob")

    assert client.post(of(comment, "like/"), {"liked": wanted}).status_code == 400
    assert client.get(of(comment, "like/")).status_code == 405


def test_who_is_signed_out_signs_in_and_comes_back(client: Client, comment: Comment) -> None:
    way = f"/accounts/login/?next=/competitions/{comment.competition_id}/comments/%23comment-{comment.pk}"

    page = client.get(page_of(comment.competition)).content.decode()

    assert f'href="{way}"' in page
    assert client.post(of(comment, "like/"), {"liked": "1"})["Location"] == way
    answer = client.post(of(comment, "like/"), {"liked": "1"}, headers=SCRIPT)
    assert (answer.status_code, answer.json()) == (401, {"sign_in": way})


def test_who_has_no_player_is_shown_the_way(client: Client, comment: Comment) -> None:
    signed_in(client, "nobody")

    assert client.post(of(comment, "like/"), {"liked": "1"})["Location"] == "/account/"


def test_nobody_likes_his_own_nor_what_is_hidden_nor_while_banned(client: Client, comment: Comment) -> None:
    ann, bob = signed_in(Client(), "ann", "ann"), signed_in(client, "bob", "bob")

    own = ann.post(of(comment, "like/"), {"liked": "1"}, headers=SCRIPT)
    Player.objects.filter(external_id="bob").update(banned_at=clock.now())
    banned = bob.post(of(comment, "like/"), {"liked": "1"}, headers=SCRIPT)
    plain = bob.post(of(comment, "like/"), {"liked": "1"})
    hide(comment.pk, "Rude.", clock.now(), None)
    hidden = bob.post(of(comment, "like/"), {"liked": "1"})

    assert (own.status_code, own.json()) == (403, {"refused": "Nobody likes his own comment."})
    assert (banned.status_code, plain.status_code, hidden.status_code) == (403, 403, 404)


def test_who_likes_it_is_told_the_newest_first(client: Client, comment: Comment) -> None:
    Player.objects.create(external_id="bob", name="Bobby")
    liked(comment, "bob", "cleo")

    page = text(client.get(of(comment, "likes/")))

    assert "Hello ann 2 players cleo" in page
    assert page.index("cleo") < page.index("Bobby")
    assert "Nobody likes this yet." in text(client.get(of(say(comment.competition, "bob", "Quiet"), "likes/")))


def test_too_many_likes_in_a_moment_are_braked(client: Client, comment: Comment) -> None:
    signed_in(client, "bob", "bob")

    statuses = [client.post(of(comment, "like/"), {"liked": "1"}, headers=SCRIPT).status_code for _ in range(61)]

    assert statuses == [200] * 60 + [429]
