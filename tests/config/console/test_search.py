"""One field finds rows of many lists, for who may look at them."""

import pytest

from foundation.security import service_keys
from tests.competitions.site import draft
from tests.leaderboards.factories import BoardFactory, PlayerFactory
from tests.staff import chief, staff

pytestmark = pytest.mark.django_db

SEARCH = "/admin/search/"


def test_a_single_row_is_where_one_is_led() -> None:
    player = PlayerFactory.create(external_id="rocket")

    answer = chief().get(SEARCH, {"q": " rocket "})

    assert (answer.status_code, answer.headers["Location"]) == (302, f"/admin/leaderboards/player/{player.pk}/change/")


def test_several_stand_by_list_and_each_is_for_who_may_look_at_it() -> None:
    BoardFactory.create(name="Winter wins")
    draft(name="Winter cup")
    service_keys.make("Winter game", ["boards:read"])
    names = ("Winter wins", "Winter cup", "Winter game")

    seen = chief().get(SEARCH, {"q": "winter"}).content.decode()
    some = staff("view_board", "view_servicekey").get(SEARCH, {"q": "winter"}).content.decode()

    assert [name in seen for name in names] == [True, True, True]
    assert [name in some for name in names] == [True, False, True]


def test_nobody_is_told_of_lists_they_may_not_look_at() -> None:
    PlayerFactory.create(external_id="rocket")

    html = staff().get(SEARCH, {"q": "rocket"}).content.decode()

    assert "Nothing is found." in html
    assert chief().get(SEARCH).status_code == 200
