"""A purge looks once more for what was under way as it was asked for, and waits for imports."""

from datetime import timedelta

from leaderboards.models import ImportKind, ImportRun, PurgedSubmission, Submission
from leaderboards.selectors.moderation.purges import IN_FLIGHT_MARGIN
from leaderboards.services.moderation.run_purge import run_due
from tests.leaderboards.services.purging import HOUR, ask, of, send
from tests.leaderboards.services.site import (
    NOON,
    make_board,
    points,
)


def test_what_was_under_way_as_it_was_asked_for_is_void_too_once_it_is_in() -> None:
    board = make_board("sql", period="all_time", update="increment")
    for player in ("ann", "bob"):
        send(board, player, 5)
    asked = NOON + timedelta(seconds=2)
    made = ask(of("ann", until=asked), asked)
    run_due(asked, 60.0)
    first = points(board)
    late = send(board, "ann", 100, NOON + timedelta(seconds=1))  # received before, committed after
    after = send(board, "ann", 7, asked)  # received after
    run_due(asked + IN_FLIGHT_MARGIN - timedelta(seconds=1), 60.0)
    made.refresh_from_db()
    waits = made.finished_at is None

    run_due(asked + IN_FLIGHT_MARGIN, 60.0)

    made.refresh_from_db()
    assert (first, waits) == ({"bob": 5}, True)
    assert points(board) == {"bob": 5, "ann": 7}
    assert made.finished_at == asked + IN_FLIGHT_MARGIN
    assert (made.voided, made.kept) == (2, 0)
    assert PurgedSubmission.objects.filter(submission=late.pk, purge=made).exists()
    assert not PurgedSubmission.objects.filter(submission=after.pk).exists()


def test_a_number_that_was_given_before_and_committed_after_is_not_passed_over() -> None:
    board = make_board("sql", period="all_time", update="increment")
    early = send(board, "ann", 5)
    other = send(board, "ann", 6)
    made = ask(of("ann", until=NOON + timedelta(seconds=1)), NOON + timedelta(seconds=1))
    Submission.objects.filter(pk=early.pk).update(created_at=NOON + HOUR)  # as if nobody saw it yet
    run_due(NOON + timedelta(seconds=1), 60.0)
    Submission.objects.filter(pk=early.pk).update(created_at=NOON)
    run_due(NOON + HOUR, 60.0)

    made.refresh_from_db()
    assert made.finished_at == NOON + HOUR
    assert points(board) == {}
    assert PurgedSubmission.objects.filter(submission__in=(early.pk, other.pk), purge=made).count() == 2


def test_it_waits_for_an_import_that_was_confirmed_in_the_range() -> None:
    board = make_board("sql", period="all_time")
    send(board, "ann", 5)
    made = ask(of(board=board.pk), NOON + 2 * HOUR)
    elsewhere = ask(of(board=make_board("sql", name="Another").pk), NOON + 2 * HOUR)
    assert (made.all_in, elsewhere.all_in) == (True, True)
    run = ImportRun.objects.create(
        kind=ImportKind.SCORES, file_name="a.csv", digest="a", board=board, created_at=NOON, started_at=NOON
    )
    second = ask(of(board=board.pk), NOON + 2 * HOUR)
    run_due(NOON + 3 * HOUR, 60.0)
    second.refresh_from_db()
    waits = second.finished_at is None

    send(board, "bob", 6)  # by the import, whose submissions are all of the moment at which it was confirmed
    run.done_at = NOON + 4 * HOUR
    run.save()
    run_due(NOON + 4 * HOUR, 60.0)

    second.refresh_from_db()
    assert waits
    assert (points(board), second.finished_at) == ({}, NOON + 4 * HOUR)
