"""Operators and metadata are kept with submissions: whatever derives a standing anew gives the same one."""

from datetime import timedelta
from typing import Any

import pytest

from leaderboards.models import Board, QuarantinedEntry, Standing, Submission
from leaderboards.services.moderation.edit import EditedValue, edit_submission
from leaderboards.services.moderation.review_quarantine import accept
from leaderboards.services.moderation.unvoid import unvoid_submission
from leaderboards.services.moderation.void import void_submission
from leaderboards.services.periods.retention import compact_submissions
from tests.leaderboards.services.sending import send
from tests.leaderboards.services.site import DAY, KEEPING, NOON, make_board, points
from tests.leaderboards.services.submit.test_quarantine import stand

MINUTE = timedelta(minutes=1)
ALL = ["set", "best", "increment", "decrement"]
SENT: tuple[dict[str, Any], ...] = (
    {"points": 10, "metadata": {"nth": 0}},
    {"points": 20, "operator": "increment", "metadata": {"nth": 1}},
    {"points": 4, "operator": "decrement", "metadata": {"nth": 2}},
    {"points": 25, "operator": "best"},
    {"points": 7, "operator": "set", "metadata": {"nth": 4}},
    {"points": 3, "operator": "increment", "metadata": {"nth": 5}},
)


def scored(storage: str, **settings: Any) -> Board:
    board = make_board(storage, period="all_time", operators=ALL, keep_submissions_days=10, **settings)
    for nth, each in enumerate(SENT):
        send(board, {"player": "a", **each}, at=NOON + nth * MINUTE)
    return board


def nth(number: int) -> Submission:
    return Submission.objects.order_by("pk")[number]


def standing() -> tuple[int | None, str | None]:
    return Standing.objects.values_list("points", "metadata").get()


@KEEPING
def test_voiding_and_restoring_replays_each_by_its_own_operator(storage: str) -> None:
    board = scored(storage)
    found = []
    for number in (4, 1, 5):
        void_submission(nth(number), NOON + DAY)
        found.append(standing())

    for number in (5, 1, 4):
        unvoid_submission(nth(number), NOON + DAY)

    # Without the set: 10+20-4=26, best 25 loses, +3. Then without the 20: 10-4=6, best 25 wins, +3. Then without it.
    assert found == [(29, '{"nth":5}'), (28, '{"nth":5}'), (25, None)]
    assert standing() == (10, '{"nth":5}')
    assert points(board) == {"a": 10}


@KEEPING
@pytest.mark.parametrize("update", ["best", "latest", "increment"])
def test_a_baseline_gives_what_was_folded_into_it(storage: str, update: str) -> None:
    scored(storage, update=update)
    before = list(Standing.objects.values())
    send(board := Board.objects.get(), {"player": "a", "points": 1, "operator": "decrement"}, at=NOON + 15 * DAY)
    after = list(Standing.objects.values())

    compact_submissions(NOON + 20 * DAY)

    baseline, last = Submission.objects.order_by("pk")
    assert (baseline.operator, baseline.metadata, baseline.points) == (None, before[0]["metadata"], before[0]["points"])
    void_submission(last, NOON + 20 * DAY)
    unvoid_submission(last, NOON + 20 * DAY)
    ignored = {"version": 0}
    assert [row | ignored for row in Standing.objects.values()] == [row | ignored for row in after]
    assert points(board)["a"] == after[0]["points"]


@KEEPING
def test_an_edited_decrement_still_takes_off(storage: str) -> None:
    board = make_board(storage, operators=ALL)
    send(board, {"player": "a", "points": 10}, {"player": "a", "points": 4, "operator": "decrement", "id": "x"})

    edit_submission(nth(1), EditedValue(points=7), "Miscounted.", NOON, None)
    [again] = send(board, {"player": "a", "points": 4, "operator": "decrement", "id": "x"})

    assert standing() == (3, None)
    assert nth(1).points == -7
    assert again.status.value == "duplicate"


@pytest.mark.parametrize("storage", ["sql", "hybrid", "redis"])
def test_what_was_quarantined_is_applied_by_its_operator_once_accepted(storage: str) -> None:
    board = make_board(storage, operators=ALL, plausible_most=100, plausible_least=-20)
    keeps = {} if storage == "redis" else {"metadata": {"seen": True}}
    plain, more, less = (
        {"player": "a", "points": 90},
        {"player": "a", "points": 101, "operator": "increment", "id": "m1", **keeps},
        {"player": "a", "points": 50, "operator": "decrement", **keeps},
    )
    statuses = [each.status.value for each in send(board, plain, more, less)]

    for number in QuarantinedEntry.objects.order_by("pk").values_list("pk", flat=True):
        accept(number, "Seen on video.", NOON + MINUTE, None)
    [again] = send(board, more, at=NOON + MINUTE)

    assert statuses == ["updated", "quarantined", "quarantined"]
    assert stand(board) == {"a": 141}
    assert again.status.value == "quarantined"
    if storage != "redis":
        assert standing() == (141, '{"seen":true}')
