"""Scores of a file for a compact board, where equals stand by the players' numbers."""

import pytest

from leaderboards import selectors
from leaderboards.models import Period
from tests.leaderboards.factories import BoardFactory
from tests.leaderboards.imports.files import AT, confirmed, play, sent

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.parametrize(("name", "first_places"), [("alice", 1), ("a newcomer", 1), ("abel", 0)])
def test_what_it_does_to_the_first_place_is_told_as_it_then_is(name: str, first_places: int) -> None:
    """Fault: the preview put equals in the order of their ids."""
    board = BoardFactory.create(encoding="compact", ties="shared", at=AT)
    for each, worth in (("abel", 4), ("zoe", 9), ("alice", 4)):
        play(board, each, worth)

    run = sent("scores", f"player,points\n{name},9\n", board)
    confirmed(run)

    label = Period.objects.get(board=board, standings__player__external_id="zoe").label
    [first] = selectors.standings(board, label, 0, 1).rows
    assert (run.report["foreseen"]["first_places"], first.player) == (first_places, name if first_places else "zoe")
