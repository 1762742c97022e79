"""Which requests count as a view of a page, by which name, and whose view it is."""

import pytest
from django.test import Client

from foundation import redis
from foundation.clock import now
from likes.core.activity import day_of
from likes.middleware import is_robot
from likes.stores.activity import ActivityStore
from tests.leaderboards.factories import BoardFactory, UserFactory
from tests.likes.kept import redis_away

pytestmark = pytest.mark.django_db(transaction=True)

FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0"


@pytest.fixture
def visitor(activity: ActivityStore) -> Client:
    """A browser that people use."""
    return Client(headers={"user-agent": FIREFOX})


def hits() -> dict[str, int]:
    day = day_of(now())
    flushed = ActivityStore(redis.boards())
    flushed.put_aside(day, 1)
    return flushed.aside(day, 1)


def test_a_page_counts_by_its_name_and_number_and_a_guest_gets_no_cookie_for_it(visitor: Client) -> None:
    board = BoardFactory.create().seq

    first = visitor.get("/")
    for address in ("/", f"/boards/{board}/", f"/boards/{board}/?player=ann", "/competitions/"):
        visitor.get(address)

    assert not first.cookies
    assert hits() == {"home": 2, f"board:{board}": 2, "competitions": 1}


def test_what_is_no_page_for_people_and_what_only_looks_like_opening_does_not_count(visitor: Client) -> None:
    for address in (
        *("/?fragment=1", "/boards/404/", "/nothing", "/account/", "/api/v1/boards", "/healthz"),
        *("/admin/login/", "/api/openapi.json"),
    ):
        visitor.get(address)
        assert hits() == {}, address

    visitor.head("/")
    visitor.post("/accounts/login/", {"username": "nobody", "password": "wrong"})
    visitor.get("/", headers={"sec-purpose": "prefetch"})

    assert hits() == {}


@pytest.mark.parametrize(
    "name", ["", "Googlebot/2.1", "curl/8.5", "Mozilla/5.0 (compatible; Yeti; +http://naver.me/bot)"]
)
def test_a_robot_by_its_own_word_does_not_count(visitor: Client, name: str) -> None:
    visitor.get("/", headers={"user-agent": name})

    assert hits() == {}
    assert is_robot(name)


def test_a_signed_in_player_attends_and_without_redis_pages_are_shown(visitor: Client, activity: ActivityStore) -> None:
    visitor.force_login(UserFactory.create(player="ann"))
    with redis_away():
        assert visitor.get("/account/").status_code == 200
    assert hits() == {}

    visitor.get("/account/")

    today = day_of(now())
    assert hits() == {"account": 1}
    assert activity.attended(0, [today]) == [True]
    assert activity.visitors([today]) == 1
