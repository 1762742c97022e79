"""Undoing an act of a competition from the audit log tells its player why, and the page says so before."""

from collections.abc import Callable

import pytest

from competitions.models import Comment, Competition, Notice
from competitions.notice_texts import sentences
from competitions.services.comments.moderate import hide, show
from competitions.services.participants.disqualify import disqualify, reinstate
from competitions.services.results.judge import unvoid, void
from foundation import clock
from foundation.audit.models import AuditEntry
from leaderboards.admin.boards.preview_seal import SEAL_FIELD
from leaderboards.models import Submission
from tests.competitions.admin.judging import provisional
from tests.competitions.admin.typed import ZONE, page
from tests.competitions.factories import CommentFactory
from tests.competitions.site import player
from tests.staff import chief

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("links")]

WORDS = "It was another one."
BY_STAFF = "Only those who run the site read it."
TOLD = (
    "The player is told, in the words of your reason. "
    "Everybody can read it once the result is final: write it for the public."
)


def disqualified(competition: Competition) -> None:
    disqualify(competition, player("alice"), "Came by car.", clock.now(), None)


def reinstated(competition: Competition) -> None:
    disqualified(competition)
    reinstate(competition, player("alice"), "On foot.", clock.now(), None)


def _sent() -> Submission:
    return Submission.objects.select_related("period__board", "player", "board").get(player__external_id="alice")


def voided(competition: Competition) -> None:
    void(competition, _sent(), "Came by car.", clock.now(), None)


def restored(competition: Competition) -> None:
    voided(competition)
    unvoid(competition, _sent(), "On foot.", clock.now(), None)


@pytest.mark.parametrize("action", [disqualified, reinstated, voided, restored])
def test_the_page_says_that_the_player_reads_it_and_they_do(action: Callable[[Competition], None]) -> None:
    client, competition = chief(), provisional()
    action(competition)
    undo = _undo_of(f"competition.{action.__name__}")

    shown = client.get(undo)
    asked = page(client, undo)
    client.post(undo, {"reason": WORDS, SEAL_FIELD: shown.context["look"].seal})

    assert TOLD in asked
    assert BY_STAFF not in asked
    told = Notice.objects.filter(player__external_id="alice").latest("pk")
    assert f"Reason: {WORDS}" in " ".join(sentences(told, ZONE))


def test_the_author_of_a_comment_reads_why_it_is_hidden_again_and_nobody_why_it_is_shown() -> None:
    client, comment = chief(), CommentFactory.create(competition=provisional())
    hide(comment.pk, "Rude.", clock.now(), None)
    to_show = page(client, _undo_of("competition.hidden"))
    show(comment.pk, clock.now(), None)
    undo = _undo_of("competition.shown")

    to_hide = page(client, undo)
    client.post(undo, {"reason": WORDS})

    assert BY_STAFF in to_show
    assert "The author of the comment reads it." in to_hide
    assert Comment.objects.get().hidden_reason == WORDS


def _undo_of(act: str) -> str:
    return f"/admin/foundation/auditentry/{AuditEntry.objects.get(act=act).pk}/undo/"
