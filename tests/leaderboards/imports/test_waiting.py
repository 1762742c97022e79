"""How many files of one account may wait for a yes: each lies in SQL for a day."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User

from leaderboards.import_errors import TooManyPendingImports
from leaderboards.models import ImportKind, ImportRun
from leaderboards.services.imports import actions, worker
from leaderboards.services.imports.upload import MAX_PENDING, Upload, upload
from tests.at_once import at_once
from tests.leaderboards.factories import BoardFactory, UserFactory
from tests.leaderboards.imports.files import AT, confirmed, moved, points, sent, table

pytestmark = pytest.mark.django_db(transaction=True)


def sent_by(user: User, nth: int = 0) -> ImportRun:
    return upload(Upload(ImportKind.PLAYERS, "file.csv", f"player,name\np{nth},P\n".encode(), user), AT)


def test_twenty_of_one_account_wait_and_the_next_after_a_yes_or_a_no() -> None:
    robin, marian = UserFactory.create(username="robin"), UserFactory.create(username="marian")
    runs = [sent_by(robin, nth) for nth in range(MAX_PENDING)]

    with pytest.raises(TooManyPendingImports, match="20 imports of yours wait already"):
        sent_by(robin)
    assert sent_by(marian).pk
    actions.discard(runs[0].pk)
    assert sent_by(robin).pk
    with pytest.raises(TooManyPendingImports):
        sent_by(robin)
    confirmed(moved(runs[1]))
    assert sent_by(robin).pk
    assert ImportRun.objects.filter(by=robin, started_at=None).count() == MAX_PENDING


def test_of_two_sent_at_once_one_is_the_last() -> None:
    robin = UserFactory.create(username="robin")
    for nth in range(MAX_PENDING - 1):
        sent_by(robin, nth)

    def is_taken() -> bool:
        try:
            return bool(sent_by(robin).pk)
        except TooManyPendingImports:
            return False

    assert sorted(at_once([is_taken, is_taken])) == [False, True]


def test_what_nobody_confirms_goes_after_a_day_and_records_when_they_are_old() -> None:
    board = BoardFactory.create(storage="sql", at=AT)
    waiting, done = sent("scores", table("alice"), board), confirmed(sent("scores", table("bob"), board))

    assert worker.delete_old_runs(AT + timedelta(hours=23)) == 0
    assert worker.delete_old_runs(AT + timedelta(hours=25)) == 1
    assert not ImportRun.objects.filter(pk=waiting.pk).exists()
    assert worker.delete_old_runs(AT + timedelta(days=91)) == 1
    assert not ImportRun.objects.filter(pk=done.pk).exists()
    assert points(board) == {"bob": 5}
