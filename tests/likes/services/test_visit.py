"""Visits: which requests count, who is one visitor, whose attendance it is, by which number; and servers away."""

from datetime import timedelta
from functools import partial

import pytest
from django.test import Client

from foundation import clock
from foundation.db.resilience import SqlAway
from leaderboards.services.players.erase import erase_player
from likes.core.activity import day_of
from likes.core.keys import DayKeys
from likes.models import PlayerNumber
from likes.services import player_number as numbering
from likes.services import visit
from likes.services.player_number import ensure_number
from likes.services.visit import guest_id, record_guest_view, record_user_view
from likes.stores.activity import ActivityStore
from tests.at_once import at_once
from tests.leaderboards.factories import BoardFactory, PlayerFactory, UserFactory
from tests.likes.counting import DAY, NOON, client
from tests.likes.kept import redis_away

pytestmark = pytest.mark.django_db(transaction=True)

YESTERDAY, TODAY, TOMORROW = ((NOON + days * DAY).date() for days in (-1, 0, 1))
KEYS = DayKeys(TODAY)
FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0"
ROBOTS = ("", "Googlebot/2.1", "curl/8.5", "Mozilla/5.0 (compatible; Yeti; +http://naver.me/bot)")
NO_PAGES = (
    *("/?fragment=1", "/boards/404/", "/nothing", "/account/", "/api/v1/boards", "/healthz"),
    *("/admin/login/", "/api/openapi.json"),
)


class TestRequests:
    @pytest.fixture
    def visitor(self, activity: ActivityStore) -> Client:
        """One that people use."""
        return Client(headers={"user-agent": FIREFOX})

    def hits(self) -> dict[bytes | str, bytes | str]:
        return client().hgetall(DayKeys(day_of(clock.now())).hits)

    def test_a_page_counts_by_its_name_and_number_and_a_guest_gets_no_cookie_for_it(self, visitor: Client) -> None:
        board = BoardFactory.create().seq

        first = visitor.get("/")
        for address in ("/", f"/boards/{board}/", f"/boards/{board}/?player=ann", "/competitions/"):
            visitor.get(address)

        assert not first.cookies
        assert self.hits() == {b"home": b"2", f"board:{board}".encode(): b"2", b"competitions": b"1"}

    def test_what_is_no_page_for_people_no_opening_and_a_robot_by_its_own_word_does_not_count(
        self, visitor: Client
    ) -> None:
        for address in NO_PAGES:
            visitor.get(address)
            assert self.hits() == {}, address
        for robot in ROBOTS:
            visitor.get("/", headers={"user-agent": robot})
            assert self.hits() == {}, robot

        visitor.head("/")
        visitor.post("/accounts/login/", {"username": "nobody", "password": "wrong"})
        visitor.get("/", headers={"sec-purpose": "prefetch"})

        assert self.hits() == {}

    def test_a_signed_in_player_attends_and_without_redis_pages_are_shown(
        self, visitor: Client, activity: ActivityStore
    ) -> None:
        visitor.force_login(UserFactory.create(player="ann"))
        with redis_away():
            assert visitor.get("/account/").status_code == 200
        assert self.hits() == {}

        visitor.get("/account/")

        today = day_of(clock.now())
        assert self.hits() == {b"account": b"1"}
        assert (activity.attended(0, [today]), activity.visitors([today])) == ([True], 1)


def test_a_guest_is_one_visitor_for_a_month_and_is_named_nowhere(activity: ActivityStore) -> None:
    for address, browser in (("192.0.2.1", "A"), ("192.0.2.1", "A"), ("192.0.2.1", "B"), ("192.0.2.2", "A")):
        record_guest_view("home", address, browser, NOON)

    first, later, next_month = (guest_id("192.0.2.1", "A", NOON + days * DAY) for days in (0, 12, 13))

    assert activity.visitors([TODAY]) == 3
    assert client().hgetall(KEYS.hits) == {b"home": b"4"}
    assert first == later != next_month
    assert "192.0.2.1" not in first


def test_a_player_attends_by_a_number_that_is_not_their_id_and_a_user_without_one_is_a_visitor_alone(
    activity: ActivityStore,
) -> None:
    ann, bob, nobody = (UserFactory.create(player=player).pk for player in ("ann", "bob", None))

    for user, at in ((ann, NOON), (bob, NOON), (nobody, NOON), (ann, NOON + DAY), (nobody, NOON + DAY)):
        record_user_view("home", user, at)

    numbers = PlayerNumber.objects.order_by("pk").values_list("number", "player__external_id")
    assert list(numbers) == [(0, "ann"), (1, "bob")]
    assert client().get(KEYS.attendance) == bytes([0b1100_0000])
    assert activity.attended(1, [TODAY, TOMORROW, YESTERDAY]) == [True, False, None]
    assert (activity.visitors([TODAY]), activity.visitors([TODAY, TOMORROW])) == (3, 3)
    kept = [timedelta(seconds=client().ttl(key)) for key in (KEYS.hits, KEYS.visitors, KEYS.attendance)]
    assert all(71 * DAY < each <= 72 * DAY for each in kept)


def test_while_sql_is_away_a_user_is_counted_and_their_player_is_not(
    activity: ActivityStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(_: object) -> None:
        raise SqlAway("SQL is away.")

    monkeypatch.setattr(visit.player_numbers, "_load", away)

    record_user_view("home", 7, NOON)

    assert activity.visitors([TODAY]) == 1


@pytest.mark.usefixtures("activity")
def test_a_number_is_given_once_until_all_are_given_and_one_of_the_erased_to_nobody(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(numbering, "MOST_PLAYERS", 3)
    bob, ann, cy, dan = PlayerFactory.create_batch(4)
    assert [ensure_number(player.pk) for player in (bob, ann, bob)] == [0, 1, 0]

    erase_player(ann.external_id, clock.now())

    assert [ensure_number(player.pk) for player in (cy, dan)] == [2, None]
    assert PlayerNumber.objects.get(number=1).player is None


def test_twenty_at_once_get_numbers_without_gaps() -> None:
    players = PlayerFactory.create_batch(10)

    given = at_once([partial(ensure_number, each.pk) for each in players * 2])

    assert given[:10] == given[10:]
    assert set(given) == set(range(10))
