"""Comments as something to like: which there are, who may like them, and what is counted back."""

import pytest

from competitions.errors import OwnComment
from competitions.models import Comment
from competitions.services.comment import delete
from competitions.services.likeable import admit, boards, counted
from competitions.services.moderate import hide
from likes.registry import likeable
from likes.services.like import like, unlike
from tests.at_once import at_once
from tests.competitions.site import SOON, make_board, open_competition, player
from tests.competitions.talking import say

pytestmark = pytest.mark.django_db(transaction=True)


def test_what_nobody_may_read_cannot_be_liked(links: None) -> None:
    competition = open_competition(make_board(visibility="private"))
    there, hidden, gone = (say(competition, "ann", words) for words in ("One", "Two", "Three"))
    hide(hidden.pk, "Rude.", SOON, None)
    delete(gone.pk, player("ann"), SOON)
    asked = [*(str(each.pk) for each in (there, hidden, gone)), f"0{there.pk}", "x", "-1", str(2**63), "9" * 40]

    found = boards(asked)

    assert {thing: board and board.visibility for thing, board in found.items()} == {str(there.pk): "private"}


def test_nobody_likes_his_own_and_whoever_did_may_take_it_back(links: None) -> None:
    comment = str(say(open_competition(), "ann").pk)

    admit(comment, "bob")
    with pytest.raises(OwnComment):
        like("comment", comment, "ann", SOON)
    assert unlike("comment", comment, "ann", SOON).count == 0


def test_totals_stand_beside_the_comments_and_unknown_ones_are_passed_over(links: None) -> None:
    competition = open_competition()
    rows = [say(competition, "ann", f"Number {number}") for number in range(3)]

    counted({str(rows[0].pk): 7, str(rows[2].pk): 1, "999999": 4, "x": 1})

    assert list(Comment.objects.order_by("pk").values_list("like_count", flat=True)) == [7, 0, 1]


def test_totals_told_at_the_same_moment_do_not_wait_for_each_other(links: None) -> None:
    competition = open_competition()
    things = [str(say(competition, "ann", f"Number {number}").pk) for number in range(10)]

    at_once([
        *(lambda: counted(dict.fromkeys(things, 2)) for _ in range(3)),
        *(lambda: counted(dict.fromkeys(reversed(things), 2)) for _ in range(3)),
    ])  # fmt: skip  # the two orders beside each other

    assert set(Comment.objects.values_list("like_count", flat=True)) == {2}


def test_the_settings_say_how_they_are_kept(settings: object) -> None:
    found = likeable("comment")

    assert (found.storage, found.rate, found.repeatable) == ("hybrid", 100, False)
