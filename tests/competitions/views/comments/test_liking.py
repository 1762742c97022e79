"""Liking comments on their page: a press of the heart, its end, and who is told that they cannot."""

from typing import Any

import pytest
from django.test import Client
from pytest_django import Settings

from competitions.models import Comment
from competitions.services.comments.comment import delete
from competitions.services.comments.moderate import hide
from foundation import clock
from foundation.throttling.limits import Limit
from leaderboards.models import Player
from tests.competitions.talking import liked, say
from tests.competitions.views.conftest import of
from tests.leaderboards.views.pages import signed_in, text

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("links")]


def press(client: Client, comment: Comment, liked: str = "1", script: bool = True, **more: str) -> Any:
    address = of(comment.competition, f"{comment.pk}/like/")
    return client.post(address, {"liked": liked, **more}, headers={"Accept": "application/json"} if script else {})


def test_a_like_and_its_end_lead_back_to_the_comment(bob: Client, comment: Comment) -> None:
    here = f"/competitions/{comment.competition_id}/?page=1"

    given = press(bob, comment, script=False, next=here)
    pressed = bob.get(of(comment.competition)).content.decode()
    press(bob, comment, "0", script=False, next=here)
    released = bob.get(of(comment.competition)).content.decode()

    assert given["Location"] == f"{here}#comment-{comment.pk}"
    assert 'value="0" aria-pressed="true" aria-label="Like the comment of ann, 1 like"' in pressed
    assert "You like this" in pressed
    assert 'value="1" aria-pressed="false" aria-label="Like the comment of ann, 0 likes"' in released


def test_what_is_sent_twice_counts_once_and_what_says_no_state_not_at_all(bob: Client, comment: Comment) -> None:
    liked(comment, "cleo")

    answers = [press(bob, comment, each).json() for each in "1100"]

    assert [(each["liked"], each["count"], each["who"]) for each in answers] == [
        *[(True, 2, "You and 1 other")] * 2,
        *[(False, 1, "Who likes this")] * 2,
    ]
    assert answers[0]["label"] == "Like the comment of ann, 2 likes"
    assert {press(bob, comment, wanted).status_code for wanted in ("", "2", "true")} == {400}
    assert bob.get(of(comment.competition, f"{comment.pk}/like/")).status_code == 405


@pytest.mark.parametrize("withdraw", ["hidden", "deleted"])
def test_a_like_of_what_was_hidden_or_deleted_since_is_taken_back_and_none_given(
    bob: Client, comment: Comment, withdraw: str
) -> None:
    liked(comment, "cleo")
    other = say(comment.competition, "ann", "Never liked")
    press(bob, comment)
    for each in (comment, other):
        if withdraw == "hidden":
            hide(each.pk, "Rude.", clock.now(), None)
        else:
            delete(each.pk, each.player, clock.now())

    taken = [press(bob, comment, "0").json() for _ in range(2)]

    assert [(each["liked"], each["count"]) for each in taken] == [(False, 1)] * 2
    assert press(bob, comment, "0", script=False).status_code == 302
    assert [press(bob, comment).status_code, press(bob, other, "0").status_code] == [404, 404]
    assert press(bob, Comment(pk=2**70, competition=comment.competition), "0").status_code == 404


def test_who_cannot_like_yet_is_shown_the_way(client: Client, comment: Comment) -> None:
    way = f"/accounts/login/?next=/competitions/{comment.competition_id}/comments/%23comment-{comment.pk}"
    unlinked = signed_in(Client(), "nobody")

    by_script = press(client, comment)

    assert f'href="{way}"' in client.get(of(comment.competition)).content.decode()
    assert press(client, comment, script=False)["Location"] == way
    assert (by_script.status_code, by_script.json()) == (401, {"sign_in": way})
    assert press(unlinked, comment, script=False)["Location"] == "/account/"


def test_nobody_likes_their_own_nor_what_is_hidden_nor_while_banned_nor_too_often(
    ann: Client, bob: Client, comment: Comment, settings: Settings
) -> None:
    settings.RATE_LIMITS = settings.RATE_LIMITS | {"like": Limit(3, 600)}
    assert [press(bob, comment).status_code for _ in range(4)] == [200] * 3 + [429]

    own = press(ann, comment)
    Player.objects.filter(external_id="ann").update(banned_at=clock.now())
    banned = [press(ann, say(comment.competition, "bob"), script=script) for script in (True, False)]
    hide(comment.pk, "Rude.", clock.now(), None)

    assert (own.status_code, own.json()) == (403, {"refused": "Nobody likes their own comment."})
    assert [each.status_code for each in banned] == [403, 403]
    assert press(ann, comment, script=False).status_code == 404


def test_who_likes_it_is_told_the_newest_first(client: Client, comment: Comment) -> None:
    Player.objects.create(external_id="bob", name="Bobby")
    liked(comment, "bob", "한 별")
    quiet = say(comment.competition, "bob", "Quiet")

    answer = client.get(of(comment.competition, f"{comment.pk}/likes/"))

    assert "Helo ann 2 players 한 별" in text(answer)
    assert text(answer).index("한 별") < text(answer).index("Bobby")
    assert 'href="/players/%ED%95%9C%20%EB%B3%84/"' in answer.content.decode()
    assert "Nobody likes this yet." in text(client.get(of(comment.competition, f"{quiet.pk}/likes/")))
