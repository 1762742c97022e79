"""Staff find players by the beginning of a name as players do: without case and accents."""

import pytest
from django.test import Client

from foundation import clock
from leaderboards.services.players.profiles import set_profile

pytestmark = pytest.mark.django_db

LIST = "/admin/leaderboards/player/"


@pytest.fixture(autouse=True)
def _players() -> None:
    for player, name in (("p-1", "Zoë"), ("p-2", "Łukasz Nowak"), ("zoe", "Ann")):
        set_profile(player, {"name": name}, clock.now())


@pytest.mark.parametrize(
    ("typed", "found"),
    [("zo", {"p-1", "zoe"}), ("ZOE", {"p-1"}), ("łukasz n", {"p-2"}), ("p-", {"p-1", "p-2"}), ("nowak", set())],
)
def test_the_list_finds_the_beginning_of_an_id_or_a_name(admin: Client, typed: str, found: set[str]) -> None:
    listed = admin.get(LIST, {"q": typed}).context["cl"].result_list

    assert {each.external_id for each in listed} == found


def test_the_search_of_everything_finds_the_player_too(admin: Client) -> None:
    assert "Zoë" in admin.get("/admin/search/", {"q": "zoe"}).content.decode()
