"""A page that is kept is answered before sessions and views, and with all that guards and counts it elsewhere."""

from collections.abc import Callable
from typing import Any

import pytest
from django.conf import LazySettings
from django.http import HttpRequest, HttpResponse
from django.test import Client

from foundation.throttling.limits import Limit
from foundation.throttling.rate_limit import reset_local
from leaderboards.views.http import micro_cache
from leaderboards.views.http.poll_interval import PollPacer
from likes.services import visit
from tests.leaderboards.views.pages import make_full_board

pytestmark = pytest.mark.django_db(transaction=True)

PAGES = ("/", "/boards/{}/", "/boards/{}/?page=2", "/boards/{}/?fragment=1", "/boards/{}/?embed=1", "/competitions/")
SESSIONS = "foundation.http.page_middleware.PageSessions"


@pytest.fixture
def board() -> int:
    return make_full_board()


@pytest.fixture
def longer(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The addresses that went on to sessions and views since they were last cleared."""
    seen: list[str] = []

    def look(request: HttpRequest) -> HttpResponse | None:
        found = cached_response(request)
        if found is None:
            seen.append(request.get_full_path())
        return found

    cached_response = micro_cache.cached_response
    monkeypatch.setattr("leaderboards.middleware.cached_response", look)
    return seen


def test_it_is_what_was_sent_before_head_and_body(
    board: int, longer: list[str], settings: LazySettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(PollPacer, "next_interval", lambda _: 2.0)
    settings.EMBED_SITES = ["https://example.org"]
    for page in PAGES:
        address = page.format(board)
        first, again = Client().get(address), Client().get(address)

        assert longer == [address], address
        assert again.content == first.content, address
        assert {**again.headers, "X-Request-ID": ""} == {**first.headers, "X-Request-ID": ""}, address
        assert again["X-Request-ID"] != first["X-Request-ID"], address
        longer.clear()


def test_a_page_in_a_frame_keeps_the_policy_that_lets_it_stand_there(board: int, settings: LazySettings) -> None:
    settings.EMBED_SITES = ["https://example.org"]
    for _ in range(2):
        framed = Client().get(f"/boards/{board}/?embed=1")
        assert "frame-ancestors https://example.org" in framed["Content-Security-Policy"]
        assert "X-Frame-Options" not in framed
        plain = Client().get(f"/boards/{board}/")
        assert "example.org" not in plain["Content-Security-Policy"]
        assert plain["X-Frame-Options"] == "DENY"


@pytest.mark.parametrize(
    "headers",
    [
        {"Cookie": "sessionid=x"},
        {"Cookie": "player=p001"},
        {"Accept-Language": "ko"},
        {"If-None-Match": 'W/"x"'},
        {"If-Match": '"x"'},
        {"If-Unmodified-Since": "Mon, 01 Jan 2024 00:00:00 GMT"},
        {"Host": "127.0.0.1"},
    ],
)
def test_who_asks_for_anything_else_goes_on_to_the_view(board: int, longer: list[str], headers: dict[str, str]) -> None:
    address = f"/boards/{board}/?fragment=1"
    Client().get(address)
    longer.clear()

    Client().get(address, headers=headers)

    assert longer == [address]


@pytest.mark.parametrize("ask", [Client.head, Client.options, Client.post])
def test_so_does_who_asks_by_another_method(
    board: int, longer: list[str], ask: Callable[[Client, str], HttpResponse]
) -> None:
    Client().get(f"/boards/{board}/")
    longer.clear()

    ask(Client(), f"/boards/{board}/")

    assert longer == [f"/boards/{board}/"]


@pytest.mark.parametrize(
    ("sent", "status"), [({"HTTP_TRANSFER_ENCODING": "chunked"}, 411), ({"CONTENT_LENGTH": "9999999999"}, 413)]
)
def test_who_sends_a_body_is_refused_as_ever(board: int, sent: dict[str, Any], status: int) -> None:
    assert Client().get(f"/boards/{board}/").status_code == 200

    assert Client().get(f"/boards/{board}/", **sent).status_code == status


def test_a_host_that_is_not_ours_is_refused(board: int) -> None:
    Client().get(f"/boards/{board}/")

    assert Client().get(f"/boards/{board}/", headers={"Host": "elsewhere.example"}).status_code == 400


def test_the_brake_counts_it_and_its_refusal_tells_its_length(board: int, settings: LazySettings) -> None:
    settings.RATE_LIMITS = {**settings.RATE_LIMITS, "page": Limit(3, 300)}
    reset_local()
    found = [Client().get(f"/boards/{board}/", REMOTE_ADDR="198.51.100.7") for _ in range(4)]

    assert [each.status_code for each in found] == [200, 200, 200, 429]
    assert int(found[3]["Content-Length"]) == len(found[3].content)


def test_it_is_a_visit_like_the_first(board: int, longer: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []
    monkeypatch.setattr(visit, "record_guest_view", lambda page, *_: seen.append(page))
    browser = {"User-Agent": "Mozilla/5.0"}
    for _ in range(2):
        Client().get(f"/boards/{board}/", headers=browser)

    assert longer == [f"/boards/{board}/"]
    assert seen == [f"board:{board}"] * 2


def test_what_was_sent_with_a_cookie_is_not_sent_again(
    board: int, longer: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def with_cookie(self: Any, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        response.set_cookie("some", "thing")
        return response

    monkeypatch.setattr(f"{SESSIONS}.process_response", with_cookie)
    for _ in range(2):
        assert "some" in Client().get(f"/boards/{board}/").cookies

    assert len(longer) == 2
