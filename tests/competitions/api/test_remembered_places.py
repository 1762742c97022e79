"""What is remembered of a competition tells the places that are asked for, whoever is left out of it."""

from collections.abc import Callable
from unittest.mock import patch

import pytest

from competitions.models import Competition
from competitions.services.participants import disqualify
from competitions.services.participants import join as joining
from competitions.services.participants.join import leave
from competitions.services.participants.remove_withdrawn import remove_withdrawn_due
from leaderboards.models import RestrictionKind
from leaderboards.services.moderation.ban import ban
from leaderboards.services.moderation.restrict import RestrictionScope, restrict
from tests.competitions.remembering import IN_REDIS, Known, elsewhere, scored, seen, shown
from tests.competitions.site import SOON, player
from tests.leaderboards.api.conftest import Caller

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]


def _hidden(cup: Competition) -> None:
    restrict([player("alice").pk], RestrictionScope(RestrictionKind.HIDDEN, cup.board), "A bot.", SOON, None)


def _banned(_: Competition) -> None:
    ban([player("alice").pk], "A bot.", SOON, None)


def _disqualified(cup: Competition) -> None:
    disqualify.disqualify(cup, player("alice"), "A bot.", SOON, None)


@pytest.mark.parametrize(("vacated_places", "place"), [("stay_empty", 2), ("close_up", 1)])
@pytest.mark.parametrize("leave_out", [_hidden, _banned, _disqualified])
@IN_REDIS
def test_the_places_of_others_stay_or_close_up_as_the_competition_says(
    anybody: Caller,
    known: Known,
    storage: str,
    leave_out: Callable[[Competition], None],
    vacated_places: str,
    place: int,
) -> None:
    cup = known(storage, vacated_places=vacated_places)
    leave_out(cup)

    pages = [shown(anybody, cup)["rows"] for _ in range(4)]
    views = [shown(anybody, cup, "view")["list"] for _ in range(4)]

    assert [[(row["player"], row["rank"]) for row in rows] for rows in pages + views] == [[("bob", place)]] * 8


def test_one_who_starts_while_another_is_taken_out_is_not_missed(anybody: Caller, known: Known) -> None:
    """The total is what it was, and who has not started is not."""
    cup = known()
    with elsewhere(), patch.object(joining, "remove_just_withdrawn", lambda *_: None):
        leave(cup, player("bob"), SOON)  # what has his score did not answer: he is taken out later
    for _ in range(4):
        seen(anybody, cup)
    scored(cup, {"erin": 5})

    with elsewhere():
        remove_withdrawn_due(SOON)

    assert seen(anybody, cup) == (["alice", "erin"], 2, 0)
