"""Comments: written, edited, deleted, hidden and liked; what is refused, what comes twice or at the same moment."""

from functools import partial

import pytest
from django.db import IntegrityError, connection, transaction

from competitions.errors import CommentHidden, CommentsClosed, OwnComment, UnknownComment
from competitions.models import Change, Comment
from competitions.services.comment import delete, edit, write
from competitions.services.likeable import admit, boards, counted
from competitions.services.moderate import hide, show
from foundation import clock
from foundation.models import DeadLetter
from leaderboards.errors import Banned, UnknownPlayer
from leaderboards.models import Player
from leaderboards.services.erase import erase_player
from likes.registry import likeable
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
    send = [partial(write, cup, author, "Hello", "form", SOON) for cup in (one, other) for author in authors] * 3

    made = at_once(send)

    assert len({comment.pk for comment in made}) == Comment.objects.count() == 4


def test_a_form_that_is_sent_again_after_its_comment_was_deleted_brings_nothing_back() -> None:
    competition = open_competition()
    comment = say(competition, "ann", "Hello", "form")
    delete(comment.pk, player("ann"), SOON)

    say(competition, "ann", "Hello", "form")

    assert Comment.objects.get().text == ""


def test_drafts_and_what_was_over_long_ago_are_refused() -> None:
    competition, ann = open_competition(), player("ann")

    with pytest.raises(CommentsClosed):
        write(draft(competition.board), ann, "Hello", "form", SOON)
    with pytest.raises(CommentsClosed):
        write(competition, ann, "Hello", "form", END + 30 * DAY)
    write(competition, ann, "Hello", "form", END + 29 * DAY)


def test_a_ban_that_the_caller_has_not_seen_counts() -> None:
    competition, ann = open_competition(), player("ann")
    comment = write(competition, ann, "Hello", "form", SOON)
    Player.objects.update(banned_at=SOON)

    with pytest.raises(Banned):
        write(competition, ann, "Again", "form", SOON)
    with pytest.raises(Banned):
        edit(comment.pk, ann, "Again", SOON)


@pytest.mark.skipif(connection.vendor == "sqlite", reason="SQLite has one writer: the erasure simply waits")
def test_an_erasure_at_the_same_moment_leaves_no_words() -> None:
    competition, ann = open_competition(), player("ann")

    def speak() -> None:
        for number in range(20):
            try:
                write(competition, ann, f"Number {number}", "form", SOON)
            except (Banned, UnknownPlayer):
                return

    def erase() -> None:
        erase_player("ann", clock.now())

    at_once([speak, erase])

    assert set(Comment.objects.values_list("text", flat=True)) <= {""}


def test_who_read_a_player_before_his_erasure_writes_nothing_in_his_name_after_it() -> None:
    competition, ann = open_competition(), player("ann")
    comment = write(competition, ann, "Hello", "form", SOON)
    erase_player("ann", SOON)

    with pytest.raises(UnknownPlayer):
        write(competition, ann, "Again", "form", SOON)
    with pytest.raises(UnknownPlayer):
        edit(comment.pk, ann, "Again", SOON)

    assert [comment.text for comment in Comment.objects.all()] == [""]


def test_editing_marks_only_what_became_other_words() -> None:
    ann = player("ann")
    comment = say(open_competition(), "ann", "Hello")

    same = edit(comment.pk, ann, " Hello ", SOON)
    other = edit(comment.pk, ann, "Hello!", SOON)

    assert (same.edited_at, other.edited_at, other.text) == (None, SOON, "Hello!")


def test_somebody_elses_and_a_deleted_one_are_unknown() -> None:
    comment = say(open_competition(), "ann")
    gone = say(comment.competition, "bob", "Mine")
    delete(gone.pk, player("bob"), SOON)

    for deed in (
        lambda: edit(comment.pk, player("bob"), "Mine", SOON),
        lambda: delete(comment.pk, player("bob"), SOON),
        lambda: delete(gone.pk, player("bob"), SOON),
        lambda: hide(gone.pk, "Rude.", SOON, None),
        lambda: show(gone.pk, SOON, None),
    ):
        with pytest.raises(UnknownComment):
            deed()


def test_hiding_and_showing_are_on_record_once() -> None:
    comment = say(open_competition(), "ann")

    for _ in range(2):
        hide(comment.pk, " Rude. ", SOON, None)
    with pytest.raises(CommentHidden):
        edit(comment.pk, player("ann"), "Kind", SOON)
    for _ in range(2):
        show(comment.pk, SOON, None)

    told = Change.objects.exclude(kind="published").order_by("pk")
    assert [(each.kind, each.reason, each.details["player"]) for each in told] == [
        ("hidden", "Rude.", "ann"),
        ("shown", "", "ann"),
    ]
    assert Comment.objects.get().is_visible


def test_a_row_has_words_or_was_deleted() -> None:
    comment = say(open_competition(), "ann")

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


def test_what_nobody_may_read_cannot_be_liked() -> None:
    competition = open_competition(make_board(visibility="private"))
    there, hidden, gone = (say(competition, "ann", words) for words in ("One", "Two", "Three"))
    hide(hidden.pk, "Rude.", SOON, None)
    delete(gone.pk, player("ann"), SOON)
    asked = [*(str(each.pk) for each in (there, hidden, gone)), f"0{there.pk}", "x", "-1", str(2**63), "9" * 40]

    found = boards(asked)

    assert {thing: board and board.visibility for thing, board in found.items()} == {str(there.pk): "private"}


def test_nobody_likes_their_own_and_whoever_did_may_take_it_back() -> None:
    comment = str(say(open_competition(), "ann").pk)

    admit(comment, "bob")
    with pytest.raises(OwnComment):
        like("comment", comment, "ann", SOON)
    assert unlike("comment", comment, "ann", SOON).count == 0


def test_totals_stand_beside_the_comments_whoever_else_tells_them_at_the_same_moment() -> None:
    competition = open_competition()
    things = [str(say(competition, "ann", f"Number {number}").pk) for number in range(10)]
    told = dict.fromkeys(things[1:], 2) | {"999999": 4, "x": 1}  # unknown ones are passed over
    back = dict(reversed(told.items()))

    at_once([lambda: counted(told), lambda: counted(back)] * 3)

    assert list(Comment.objects.order_by("pk").values_list("like_count", flat=True)) == [0] + [2] * 9


def test_the_settings_say_how_likes_of_comments_are_kept() -> None:
    found = likeable("comment")

    assert (found.storage, found.rate, found.repeatable) == ("hybrid", 100, False)
