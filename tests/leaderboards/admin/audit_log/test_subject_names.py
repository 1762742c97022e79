"""What the log calls the subjects of its entries."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from foundation.audit.models import AuditSubject
from leaderboards.admin.audit_log.subject_names import load_subject_names
from tests.competitions.factories import CommentFactory

pytestmark = pytest.mark.django_db

PICTURE = '"competitions_competition"."picture"'


def test_names_of_subjects_load_no_pictures() -> None:
    comment = CommentFactory.create(player__external_id="ann", text="Rude words")

    with CaptureQueriesContext(connection) as asked:
        names = load_subject_names([AuditSubject(kind="competitions.comment", key=str(comment.pk))])

    assert names == {("competitions.comment", str(comment.pk)): "ann: Rude words"}
    assert [query for query in asked.captured_queries if PICTURE in query["sql"]] == []
