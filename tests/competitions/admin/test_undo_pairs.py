"""What was done to a competition and taken back, both chosen in the audit log, stays as it was before the first."""

from collections.abc import Callable

import pytest
from django.test import Client

from competitions.models import Comment, Competition, Participant
from competitions.services.comments.moderate import hide, show
from competitions.services.participants.disqualify import disqualify, reinstate
from competitions.services.results.judge import unvoid, void
from foundation import clock
from foundation.audit.models import AuditEntry
from leaderboards.models import Submission
from tests.competitions.admin.judging import provisional
from tests.competitions.factories import CommentFactory
from tests.competitions.site import player
from tests.staff import chief

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("links")]
LOG = "/admin/foundation/auditentry/"


def disqualified(competition: Competition) -> None:
    disqualify(competition, player("alice"), "Came by car.", clock.now(), None)
    reinstate(competition, player("alice"), "On foot.", clock.now(), None)


def voided(competition: Competition) -> None:
    def sent() -> Submission:
        return Submission.objects.select_related("period__board", "player", "board").get(player__external_id="alice")

    void(competition, sent(), "Came by car.", clock.now(), None)
    unvoid(competition, sent(), "On foot.", clock.now(), None)


def hidden(competition: Competition) -> None:
    comment = CommentFactory.create(competition=competition)
    hide(comment.pk, "Rude.", clock.now(), None)
    show(comment.pk, clock.now(), None)


@pytest.mark.parametrize("call", [disqualified, voided, hidden])
def test_an_act_and_its_end_stay_as_they_are(db: None, call: Callable[[Competition], None]) -> None:
    client: Client = chief()
    competition = provisional()
    AuditEntry.objects.all().delete()
    call(competition)
    entries = list(AuditEntry.objects.all())

    told = client.post(
        LOG,
        {"action": "undo_selected", "_selected_action": [each.pk for each in entries], "confirmed": "1", "reason": "-"},
        follow=True,
    ).content.decode()

    assert len(entries) == 2
    assert "2 of the selected take each other back" in told
    assert AuditEntry.objects.count() == 2
    assert not Participant.objects.exclude(disqualified_at=None).exists()
    assert not Submission.objects.exclude(voided_at=None).exists()
    assert not Comment.objects.exclude(hidden_at=None).exists()
