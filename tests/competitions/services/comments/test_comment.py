"""Comments: written, edited, deleted, hidden and liked; what is refused, what comes twice or at the same moment."""

from functools import partial

import pytest
from django.db import IntegrityError, connection, transaction

from competitions.errors import CommentHidden, CommentsClosed, OwnComment, UnknownComment
from competitions.models import Change, Comment
from competitions.services.comments.comment import delete, edit, post_comment
from competitions.services.comments.likeable import admit, boards, save_totals
from competitions.services.comments.moderate import hide, show
from foundation import clock
from foundation.models import DeadLetter
from leaderboards.errors import Banned, UnknownPlayer
from leaderboards.models import Player
from leaderboards.services.players.erase import erase_player
from likes.services.like import like, unlike
from tests.at_once import at_once
from tests.competitions.factories import DAY, END
from tests.competitions.site import SOON, draft, make_board, open_competition, player
from tests.competitions.talking import liked, say

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]


def test_one_form_makes_one_comment_of_each_player_in_each_competition_however_many_send_it_at_once() -> None:
    one = open_competition()
    other = open_competition(one.board)
    authors = [player("ann"), player("bob")]
    send = [partial(post_comment, cup, author, "Hello", "form", SOON) for cup in (one, other) for author in authors] * 3

    made = at_once(send)

    assert len({comment.pk for comment in made}) == Comment.objects.count() == 4
    delete(made[0].pk, authors[0], SOON)
    again = post_comment(one, authors[0], "Hello", "form", SOON)  # brings nothing back
    assert (again.pk, again.text, Comment.objects.count()) == (made[0].pk, "", 4)


def test_drafts_what_was_over_long_ago_and_a_ban_that_the_caller_has_not_seen_are_refused() -> None:
    competition, ann = open_competition(), player("ann")
    comment = post_comment(competition, ann, "Hello", "form", END + 29 * DAY)

    for unfit, at in ((draft(competition.board), SOON), (competition, END + 30 * DAY)):
        with pytest.raises(CommentsClosed):
            post_comment(unfit, ann, "Hello", "form", at)
    Player.objects.update(banned_at=SOON)
    with pytest.raises(Banned):
        post_comment(competition, ann, "Again", "form", SOON)
    with pytest.raises(Banned):
        edit(comment.pk, ann, "Again", SOON)


@pytest.mark.skipif(connection.vendor == "sqlite", reason="SQLite has one writer: the erasure simply waits")
def test_an_erasure_at_the_same_moment_leaves_no_words() -> None:
    competition, ann = open_competition(), player("ann")

    def speak() -> None:
        for number in range(20):
            try:
                post_comment(competition, ann, f"Number {number}", "form", SOON)
            except (Banned, UnknownPlayer):
                return

    def erase() -> None:
        erase_player("ann", clock.now())

    at_once([speak, erase])

    assert set(Comment.objects.values_list("text", flat=True)) <= {""}


def test_editing_marks_only_what_became_other_words_and_somebody_elses_and_a_deleted_one_are_unknown() -> None:
    ann, bob = player("ann"), player("bob")
    comment = say(open_competition(), "ann", "Hello")
    gone = say(comment.competition, "bob", "Mine")
    delete(gone.pk, bob, SOON)

    same = edit(comment.pk, ann, " Hello ", SOON)
    other = edit(comment.pk, ann, "Hello!", SOON)

    assert (same.edited_at, other.edited_at, other.text) == (None, SOON, "Hello!")
    for action in (
        lambda: edit(comment.pk, bob, "Mine", SOON),
        lambda: delete(comment.pk, bob, SOON),
        lambda: delete(gone.pk, bob, SOON),
        lambda: hide(gone.pk, "Rude.", SOON, None),
        lambda: show(gone.pk, SOON, None),
    ):
        with pytest.raises(UnknownComment):
            action()


def test_hiding_and_showing_are_on_record_once_and_a_row_has_words_or_was_deleted() -> None:
    comment = say(open_competition(), "ann")

    for _ in range(2):
        hide(comment.pk, " Rude. ", SOON, None)
    with pytest.raises(CommentHidden):
        edit(comment.pk, player("ann"), "Kind", SOON)
    for _ in range(2):
        show(comment.pk, SOON, None)

    told = Change.objects.exclude(kind="published").order_by("pk").values_list("kind", "reason", "details__player")
    assert list(told) == [("hidden", "Rude.", "ann"), ("shown", "", "ann")]
    assert Comment.objects.get().is_visible
    for wrong in ({"text": ""}, {"deleted_at": SOON}, {"like_count": -1}, {"hidden_reason": "Rude."}):
        with pytest.raises(IntegrityError), transaction.atomic():
            Comment.objects.filter(pk=comment.pk).update(**wrong)


def test_erasing_a_player_takes_their_words_and_why_they_were_hidden() -> None:
    competition = open_competition()
    plain, hidden, other = (say(competition, name, "Ann lives here.") for name in ("ann", "ann", "bob"))
    hide(hidden.pk, "Ann told her address.", SOON, None)
    liked(plain, "bob")
    for each in (plain, other):
        payload = {"kind": "comment", "thing": str(each.pk)}
        DeadLetter.note("likes", f"comment:{each.pk}", payload, f"Failing row contains ({each.text})", SOON)

    erased = erase_player("ann", clock.now())

    rows = Comment.objects.filter(player__external_id=erased.player)
    assert set(rows.values_list("text", "hidden_reason")) == {("", "")}
    assert not Change.objects.filter(details__player="ann").exists()
    assert not Change.objects.filter(reason__contains="Ann").exists()
    assert Comment.objects.get(pk=other.pk).text == "Ann lives here."
    assert [letter.payload["thing"] for letter in DeadLetter.objects.all()] == [str(other.pk)]


def test_neither_what_nobody_may_read_nor_ones_own_can_be_liked_but_such_a_like_be_taken_back() -> None:
    competition = open_competition(make_board(visibility="private"))
    there, hidden, gone = (say(competition, "ann", words) for words in ("One", "Two", "Three"))
    hide(hidden.pk, "Rude.", SOON, None)
    delete(gone.pk, player("ann"), SOON)
    asked = [*(str(each.pk) for each in (there, hidden, gone)), f"0{there.pk}", "x", "-1", str(2**63), "9" * 40]

    found = boards(asked)

    assert {thing: board and board.visibility for thing, board in found.items()} == {str(there.pk): "private"}
    admit(str(there.pk), "bob")
    with pytest.raises(OwnComment):
        like("comment", str(there.pk), "ann", SOON)
    assert unlike("comment", str(there.pk), "ann", SOON).count == 0


def test_totals_stand_beside_the_comments_whoever_else_tells_them_at_the_same_moment() -> None:
    competition = open_competition()
    things = [str(say(competition, "ann", f"Number {number}").pk) for number in range(10)]
    told = dict.fromkeys(things[1:], 2) | {"999999": 4, "x": 1}  # unknown ones are passed over
    back = dict(reversed(told.items()))

    at_once([lambda: save_totals(told), lambda: save_totals(back)] * 3)

    assert list(Comment.objects.order_by("pk").values_list("like_count", flat=True)) == [0] + [2] * 9
