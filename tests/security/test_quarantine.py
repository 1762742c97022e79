"""A cheat tries to get past the limits of plausibility: by many requests at once, and by the same one at once."""

from collections import Counter

import pytest

from leaderboards.models import QuarantinedEntry
from tests.at_once import at_once
from tests.leaderboards.services.site import make_board
from tests.leaderboards.services.test_quarantine import of, send, stand
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
def test_the_same_entry_at_once_is_kept_once_and_passes_never(storage: str) -> None:
    board = make_board(storage, plausible_most=100)

    answers = at_once([lambda: send(board, of("a", 101, id="m1"))] * 4)

    assert {outcome.status.value for answer in answers for outcome in answer} == {"quarantined"}
    assert QuarantinedEntry.objects.count() == 1
    assert stand(board) == {}
