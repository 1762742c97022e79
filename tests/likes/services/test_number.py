"""Numbers of players: without gaps, never given twice."""

from functools import partial

import pytest

from foundation import clock
from leaderboards.models import Player
from leaderboards.services.erase import erase_player
from leaderboards.services.players import ensure_player
from likes.models import PlayerNumber
from likes.services import number as numbering
from likes.services.number import number_of
from tests.at_once import at_once
from tests.likes.counting import store

__all__ = ["store"]
pytestmark = pytest.mark.django_db(transaction=True)


def player(name: str) -> Player:
    return ensure_player(name, clock.now())


def test_a_number_is_given_once() -> None:
    ann, bob = player("ann"), player("bob")

    given = [number_of(each.pk) for each in (bob, ann, bob)]

    assert given == [0, 1, 0]


def test_twenty_at_once_get_numbers_without_gaps() -> None:
    players = [player(f"p{nth % 10}") for nth in range(20)]

    given = at_once([partial(number_of, each.pk) for each in players])

    assert given[:10] == given[10:]
    assert set(given) == set(range(10))


@pytest.mark.usefixtures("store")
def test_an_erased_player_leaves_his_number_to_nobody() -> None:
    number_of(player("ann").pk)

    erase_player("ann", clock.now())
    following = number_of(player("bob").pk)

    assert following == 1
    assert PlayerNumber.objects.get(number=0).player is None


def test_when_all_are_given_nobody_gets_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(numbering, "MOST_PLAYERS", 1)

    given = [number_of(player(name).pk) for name in ("ann", "bob")]

    assert given == [0, None]
