"""A cheat tries to get past the limits of plausibility: by many requests at once, and by the same one at once."""

from collections import Counter

import pytest

from leaderboards.models import QuarantinedEntry
from tests.at_once import at_once
from tests.leaderboards.services.site import make_board
from tests.leaderboards.services.submit.test_quarantine import of, send, stand
from tests.links import links

__all__ = ["links"]

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]
STORAGES = pytest.mark.parametrize("storage", ["sql", "hybrid", "redis"])


@STORAGES
def test_no_more_than_a_minute_allows_pass_however_many_come_at_once(storage: str) -> None:
    board = make_board(storage, submissions_per_minute=3, update="increment")

    answers = at_once([lambda: send(board, of("a", 1), of("a", 1))] * 5)

    told = Counter(outcome.status.value for answer in answers for outcome in answer)
    kept = QuarantinedEntry.objects.count()
    assert told["updated"] == stand(board)["a"]
    assert told["updated"] <= 3
    assert told["quarantined"] == kept
    assert told.total() == told["updated"] + kept + told["rejected"]  # refused as `unavailable`: too many at once


@STORAGES
def test_what_counted_before_makes_no_room_by_being_sent_again(storage: str) -> None:
    board = make_board(storage, submissions_per_minute=2, update="increment")
    counted = [of("a", 1, id="m1"), of("a", 1, id="m2")]
    send(board, *counted)

    outcomes = send(board, of("a", 1, id="m3"), of("a", 1, id="m4"), *counted)

    assert [outcome.status.value for outcome in outcomes] == ["quarantined"] * 2 + ["duplicate"] * 2
    assert stand(board) == {"a": 2}


@STORAGES
def test_an_id_that_passed_and_did_not_count_lets_nothing_else_pass(storage: str) -> None:
    board = make_board(storage, plausible_most=100, total_maximum=150, update="increment")
    send(board, of("a", 100))

    first = send(board, of("a", 60, id="m1"), of("a", 101, id="m1"))
    second = send(board, of("a", 101, id="m1"))

    assert [outcome.code for outcome in first] in (["out_of_range", "plausible_most"], ["out_of_range"] * 2)
    assert [outcome.code for outcome in second] in (["plausible_most"], ["out_of_range"])
    assert stand(board) == {"a": 100}


@STORAGES
def test_the_same_entry_at_once_is_kept_once_and_passes_never(storage: str) -> None:
    board = make_board(storage, plausible_most=100)

    answers = at_once([lambda: send(board, of("a", 101, id="m1"))] * 4)

    assert {outcome.status.value for answer in answers for outcome in answer} == {"quarantined"}
    assert QuarantinedEntry.objects.count() == 1
    assert stand(board) == {}
