"""A purge of submissions in competitions: each is an act on record, running and closed, and so is its undoing."""

from datetime import datetime
from typing import Any
from unittest.mock import patch

import pytest

from competitions.models import Change, ChangeKind, Revision
from competitions.services.lifecycle.confirm import confirm
from competitions.services.results.judge import unvoid, void
from foundation.audit.models import AuditEntry
from foundation.audit.undo import undo
from leaderboards.models import Purge, Submission
from leaderboards.selectors.moderation.purges import PurgeRange
from leaderboards.services.moderation import run_purge
from leaderboards.services.moderation.purge import PURGED, request_purge
from leaderboards.services.moderation.run_purge import run_due
from tests.competitions.services.mishaps import dying_at
from tests.competitions.services.results.test_judge import JUDGED, KEEPING, is_whole, of, provisional
from tests.competitions.site import DAY, HOUR, make_board, player, race, ranks, reloaded

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]


def all_of(name: str) -> PurgeRange:
    first = Submission.objects.order_by("created_at")[0].created_at
    return PurgeRange(first, JUDGED, player(name).pk)


def purged(name: str) -> Purge:
    made = request_purge(all_of(name), "A cheat.", JUDGED, None)
    run_due(JUDGED, 60.0)
    made.refresh_from_db()
    return made


def undone(made: Purge) -> Purge:
    undo(AuditEntry.objects.get(act=PURGED).pk, "No cheat.", JUDGED + HOUR, None)
    run_due(JUDGED + HOUR, 60.0)
    made.refresh_from_db()
    return made


@pytest.mark.parametrize("storage", KEEPING)
def test_of_a_closed_competition_places_follow_and_come_back_and_each_is_on_record(storage: str) -> None:
    competition = provisional(storage)
    before = ranks(competition, JUDGED)

    made = purged("ann")

    assert ranks(competition, JUDGED) == [("cleo", 1, 7), ("bob", 2, 5)]
    assert is_whole(competition)
    assert (made.voided, made.kept) == (2, 0)
    acts = Change.objects.filter(competition=competition, kind=ChangeKind.VOIDED)
    assert list(acts.values_list("reason", flat=True)) == ["A cheat."] * 2
    undone(made)
    assert ranks(competition, JUDGED + HOUR) == before
    assert is_whole(competition)
    assert (made.restored, made.lost) == (2, 0)


def test_what_the_jury_had_voided_before_stays_void() -> None:
    competition = provisional("sql")
    void(competition, of("ann", 9), "Came by car.", JUDGED, None)
    made = purged("ann")
    assert made.voided == 1

    undone(made)

    assert ranks(competition, JUDGED + HOUR) == [("cleo", 1, 7), ("bob", 2, 5), ("ann", 3, 4)]


def test_what_the_jury_restores_after_a_purge_was_asked_for_and_before_it_is_done_counts() -> None:
    competition = provisional("sql")
    before = ranks(competition, JUDGED)
    made = request_purge(all_of("ann"), "A cheat.", JUDGED, None)
    for number in (9, 4):
        void(competition, of("ann", number), "Came by car.", JUDGED, None)
        unvoid(competition, of("ann", number), "The car was lent.", JUDGED, None)

    run_due(JUDGED + HOUR, 60.0)

    made.refresh_from_db()
    assert (made.voided, made.kept) == (0, 2)
    assert ranks(competition, JUDGED + HOUR) == before


@pytest.mark.parametrize("storage", KEEPING)
def test_what_the_jury_judges_while_the_undoing_is_under_way_stays_as_judged(storage: str) -> None:
    competition = provisional(storage)
    made = purged("ann")
    restore = run_purge._restore_in_event

    def judged_before(purge: Purge, row: Any, at: datetime) -> int:
        if row.pk == of("ann", 9).pk:
            unvoid(competition, of("ann", 9), "Unfounded.", JUDGED, None)
            void(competition, of("ann", 9), "Came by car.", JUDGED, None)
        return restore(purge, row, at)

    with patch.object(run_purge, "_restore_in_event", judged_before):
        undone(made)

    assert ranks(competition, JUDGED + HOUR) == [("cleo", 1, 7), ("bob", 2, 5), ("ann", 3, 4)]
    assert made.restored == 1


def test_a_final_result_gets_its_revisions() -> None:
    competition = provisional("sql")
    confirm(competition, JUDGED, None)
    before = Revision.objects.filter(competition=competition).count()

    purged("ann")

    assert Revision.objects.filter(competition=competition).count() > before
    assert ranks(reloaded(competition), JUDGED) == [("cleo", 1, 7), ("bob", 2, 5)]


def test_a_running_competition_follows_too() -> None:
    competition = race({"ann": 4, "bob": 5}, make_board("hybrid"))
    chosen = all_of("bob")
    at = chosen.from_at + DAY / 1000
    made = request_purge(chosen._replace(until_at=at), "A cheat.", at, None)
    run_due(at, 60.0)

    assert [name for name, *_ in ranks(competition, at)] == ["ann"]
    made.refresh_from_db()
    assert made.voided == 1


def test_a_worker_that_dies_before_a_commit_leaves_neither_the_act_nor_the_record() -> None:
    competition = provisional("sql")
    made = request_purge(all_of("ann"), "A cheat.", JUDGED, None)
    with dying_at(run_purge, "purge.before_commit_of_some"):
        run_due(JUDGED, 60.0)
    assert not Change.objects.filter(competition=competition, kind=ChangeKind.VOIDED).exists()

    run_due(JUDGED, 60.0)

    made.refresh_from_db()
    assert (made.voided, Change.objects.filter(kind=ChangeKind.VOIDED).count()) == (2, 2)
