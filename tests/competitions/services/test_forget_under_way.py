"""Erasing a player while somebody publishes, judges or acts for them: nobody writes the old name after it."""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from decimal import Decimal
from typing import Any
from unittest.mock import patch

import pytest
from django.db import connection

from competitions.models import Change, Participant, Preference
from competitions.services.comments.comment import edit, post_comment
from competitions.services.erasure import rewrite_results as rewrite
from competitions.services.lifecycle.finish import finish_due
from competitions.services.notices.preferences import NoticeSettings, save_preference
from competitions.services.participants import disqualify as disqualifying
from competitions.services.participants.disqualify import disqualify, reinstate, remove
from competitions.services.participants.join import join, leave
from competitions.services.results import revisions as revise
from competitions.services.results.judge import void
from competitions.services.results.late_scores import LateScore, accept_late
from leaderboards.errors import UnknownPlayer
from leaderboards.models import Player, Submission
from leaderboards.services.players import erase_hooks
from leaderboards.services.players.erase import erase_player
from tests.competitions.factories import DAY, END
from tests.competitions.published import document, places, revisions
from tests.competitions.site import SOON, joined, open_competition, player, race
from tests.locked import only_postgresql

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]


def on_its_own(action: Callable[[], int]) -> int:
    """In a thread, on a connection of its own."""
    try:
        return action()
    finally:
        connection.close()


def test_an_erasure_that_is_cut_off_leaves_what_was_published() -> None:
    competition, at = race({"ann": 9, "bob": 5}), END + DAY
    finish_due(at)
    first = document(revisions(competition)[0])

    with patch.object(rewrite, "_rewrite_revision", side_effect=SystemExit), pytest.raises(SystemExit):
        erase_player("ann", at)

    assert document(revisions(competition)[0]) == first
    assert Player.objects.filter(external_id="ann").exists()


def test_what_is_published_while_somebody_is_erased_waits_and_has_the_new_id(monkeypatch: pytest.MonkeyPatch) -> None:
    competition, at = race({"ann": 9, "bob": 5}), END + DAY
    finish_due(at)
    competition.participants.filter(player=player("bob")).update(disqualified_at=at)  # nobody has published that
    late: list[Future[int]] = []

    def published_meanwhile(*who: Any) -> None:
        late.append(threads.submit(on_its_own, lambda: revise.publish_due_revisions(at)))
        assert not wait(late, timeout=1).done
        rewrite.rewrite_results_of(*who)

    monkeypatch.setattr(erase_hooks, "rename_hooks", [published_meanwhile])
    with ThreadPoolExecutor(1) as threads:
        number = erase_player("ann", at).player

    assert late[0].result() == 1
    assert [places(each) for each in revisions(competition)] == [[(1, number), (2, "bob")], [(1, number)]]


def test_a_jury_that_read_a_player_before_their_erasure_is_refused_and_writes_nothing_of_them() -> None:
    final, at = race({"ann": 9, "bob": 5}), END + DAY
    finish_due(at)
    running = open_competition()
    joined(running, "ann")
    ann, late = player("ann"), LateScore(player("ann"), SOON, Decimal(50))
    read = Submission.objects.select_related("player", "period__board").get(player=ann)
    erase_player("ann", at)

    for action in (
        lambda: disqualify(final, ann, "Ann rode a bus.", at, None),
        lambda: reinstate(final, ann, "Ann had a permit.", at, None),
        lambda: remove(running, ann, "Ann asked for it.", SOON, None),
        lambda: accept_late(final, late, "Ann had no network.", at, None),
        lambda: void(final, read, "Ann rode a bus.", at, None),
    ):
        with pytest.raises(UnknownPlayer):
            action()

    assert not Change.objects.filter(reason__contains="Ann").exists()
    assert not Player.objects.filter(external_id="ann").exists()
    assert len(revisions(final)) == 1


@only_postgresql
def test_an_act_about_somebody_who_has_left_is_forgotten_by_an_erasure_that_waits_for_it() -> None:
    competition = open_competition()
    joined(competition, "ann")
    leave(competition, player("ann"), SOON)
    late: list[Future[int]] = []

    def erased_meanwhile(_step: str) -> None:
        late.append(threads.submit(on_its_own, lambda: len(erase_player("ann", SOON).player)))
        assert not wait(late, timeout=1).done

    with ThreadPoolExecutor(1) as threads, patch.object(disqualifying, "failpoint", erased_meanwhile):
        disqualify(competition, player("ann"), "Ann rode a bus.", SOON, None)
        assert late[0].result()

    change = Change.objects.get(kind="disqualified")
    assert (change.reason, change.details) == ("", {})


def test_who_read_a_player_before_their_erasure_does_nothing_in_their_name_after_it() -> None:
    competition, ann = open_competition(), player("ann")
    comment = post_comment(competition, ann, "Hello", "form", SOON)
    erase_player("ann", SOON)

    for action in (
        lambda: post_comment(competition, ann, "Again", "form", SOON),
        lambda: edit(comment.pk, ann, "Again", SOON),
        lambda: join(competition, ann, SOON),
        lambda: save_preference(ann, NoticeSettings()),
    ):
        with pytest.raises(UnknownPlayer):
            action()

    comment.refresh_from_db()
    assert comment.text == ""
    assert not Participant.objects.exists()
    assert not Preference.objects.exists()
