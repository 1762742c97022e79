"""Writing, editing, deleting, hiding: what is refused, what comes twice, and what happens at the same moment."""

import pytest
from django.db import IntegrityError, connection, transaction

from competitions.errors import CommentHidden, CommentsClosed, UnknownComment
from competitions.models import Change, Comment
from competitions.services.comment import delete, edit, write
from competitions.services.moderate import hide, show
from foundation import clock
from foundation.models import DeadLetter
from leaderboards.errors import Banned, UnknownPlayer
from leaderboards.models import Player
from leaderboards.services.erase import erase_player
from tests.at_once import at_once
from tests.competitions.site import DAY, END, SOON, draft, open_competition, player
from tests.competitions.talking import liked, say

pytestmark = pytest.mark.django_db(transaction=True)


def test_one_form_sent_by_many_at_once_makes_one_comment(links: None) -> None:
    competition, ann = open_competition(), player("ann")

    made = at_once([lambda: write(competition, ann, "Hello", "form", SOON) for _ in range(8)])

    assert len({comment.pk for comment in made}) == 1
    assert Comment.objects.count() == 1


def test_one_form_is_another_in_another_competition_and_for_another_player(links: None) -> None:
    one = open_competition()
    other = open_competition(one.board)

    for competition in (one, other):
        for name in ("ann", "bob"):
            write(competition, player(name), "Hello", "form", SOON)

    assert Comment.objects.count() == 4


def test_a_form_that_is_sent_again_after_its_comment_was_deleted_brings_nothing_back(links: None) -> None:
    competition = open_competition()
    comment = say(competition, "ann", "Hello", "form")
    delete(comment.pk, player("ann"), SOON)

    say(competition, "ann", "Hello", "form")

    assert Comment.objects.get().text == ""


def test_drafts_and_what_was_over_long_ago_are_refused(links: None) -> None:
    competition, ann = open_competition(), player("ann")

    with pytest.raises(CommentsClosed):
        write(draft(competition.board), ann, "Hello", "form", SOON)
    with pytest.raises(CommentsClosed):
        write(competition, ann, "Hello", "form", END + 30 * DAY)
    write(competition, ann, "Hello", "form", END + 29 * DAY)


def test_a_ban_that_the_caller_has_not_seen_counts(links: None) -> None:
    competition, ann = open_competition(), player("ann")
    comment = write(competition, ann, "Hello", "form", SOON)
    Player.objects.update(banned_at=SOON)

    with pytest.raises(Banned):
        write(competition, ann, "Again", "form", SOON)
    with pytest.raises(Banned):
        edit(comment.pk, ann, "Again", SOON)


@pytest.mark.skipif(connection.vendor == "sqlite", reason="SQLite has one writer: the erasure simply waits")
def test_an_erasure_at_the_same_moment_leaves_no_words(links: None) -> None:
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


def test_who_read_a_player_before_his_erasure_writes_nothing_in_his_name_after_it(links: None) -> None:
    competition, ann = open_competition(), player("ann")
    comment = write(competition, ann, "Hello", "form", SOON)
    erase_player("ann", SOON)

    with pytest.raises(UnknownPlayer):
        write(competition, ann, "Again", "form", SOON)
    with pytest.raises(UnknownPlayer):
        edit(comment.pk, ann, "Again", SOON)

    assert [comment.text for comment in Comment.objects.all()] == [""]


def test_editing_marks_only_what_became_other_words(links: None) -> None:
    ann = player("ann")
    comment = say(open_competition(), "ann", "Hello")

    same = edit(comment.pk, ann, " Hello ", SOON)
    other = edit(comment.pk, ann, "Hello!", SOON)

    assert (same.edited_at, other.edited_at, other.text) == (None, SOON, "Hello!")


def test_somebody_elses_and_a_deleted_one_are_unknown(links: None) -> None:
    comment = say(open_competition(), "ann")
    delete(say(comment.competition, "bob", "Mine").pk, player("bob"), SOON)
    gone = Comment.objects.exclude(deleted_at=None).get()

    for deed in (
        lambda: edit(comment.pk, player("bob"), "Mine", SOON),
        lambda: delete(comment.pk, player("bob"), SOON),
        lambda: delete(gone.pk, player("bob"), SOON),
        lambda: hide(gone.pk, "Rude.", SOON, None),
        lambda: show(gone.pk, SOON, None),
    ):
        with pytest.raises(UnknownComment):
            deed()


def test_hiding_and_showing_are_on_record_once(links: None) -> None:
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


def test_a_row_has_words_or_was_deleted(links: None) -> None:
    comment = say(open_competition(), "ann")

    for wrong in ({"text": ""}, {"deleted_at": SOON}, {"like_count": -1}, {"hidden_reason": "Rude."}):
        with pytest.raises(IntegrityError), transaction.atomic():
            Comment.objects.filter(pk=comment.pk).update(**wrong)


def test_erasing_a_player_takes_his_words_and_why_they_were_hidden(links: None) -> None:
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
