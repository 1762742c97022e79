"""Which requests count as a view of a page, by which name, and whose view it is."""

import pytest
from django.test import Client

from foundation import redis
from foundation.clock import now
from likes.core.activity import day_of
from likes.middleware import is_robot
from likes.stores.activity import ActivityStore
from tests.likes.counting import store
from tests.playing import account, make_board

__all__ = ["store"]
pytestmark = pytest.mark.django_db(transaction=True)

FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0"


@pytest.fixture
def visitor(store: ActivityStore) -> Client:
    """A browser that people use."""
    return Client(headers={"user-agent": FIREFOX})


def hits() -> dict[str, int]:
    day = day_of(now())
    flushed = ActivityStore(redis.boards())
    flushed.put_aside(day, 1)
    return flushed.aside(day, 1)


def test_a_page_counts_by_its_name_and_number(visitor: Client) -> None:
    board = make_board()

    for address in ("/", "/", f"/boards/{board}/", f"/boards/{board}/?player=ann", "/competitions/"):
        visitor.get(address)

    assert hits() == {"home": 2, f"board:{board}": 2, "competitions": 1}


@pytest.mark.parametrize(
    "address",
    [
        *("/?fragment=1", "/boards/404/", "/nothing", "/account/", "/api/v1/boards", "/healthz"),
        *("/admin/login/", "/api/openapi.json"),
    ],
)
def test_what_is_no_page_for_people_does_not_count(visitor: Client, address: str) -> None:
    visitor.get(address)

    assert hits() == {}


def test_only_opening_a_page_counts(visitor: Client) -> None:
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


def test_a_signed_in_player_attends(visitor: Client, store: ActivityStore) -> None:
    visitor.force_login(account("ann", "ann"))

    visitor.get("/account/")

    today = day_of(now())
    assert hits() == {"account": 1}
    assert store.attended(0, [today]) == [True]
    assert store.visitors([today]) == 1


def test_a_guest_gets_no_cookie_for_it(visitor: Client) -> None:
    response = visitor.get("/competitions/")

    assert not response.cookies
    assert hits() == {"competitions": 1}


def test_while_redis_is_away_pages_are_shown(visitor: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    visitor.force_login(account("ann", "ann"))

    def away(*_: object) -> None:
        raise redis.RedisAway("Redis is away.")

    with monkeypatch.context() as patched:
        patched.setattr(redis.Link, "_wire", away)
        response = visitor.get("/account/")

    assert response.status_code == 200
    assert hits() == {}
