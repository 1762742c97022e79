"""Answers for anybody are kept for a second: they touch neither SQL nor the boards' Redis; somebody's are their own.

Style sheets come in one answer that browsers keep for good: what stands in the address is what is answered.
"""

import gzip
import re
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.middleware.csrf import get_token
from django.test import Client, RequestFactory
from pytest_django import DjangoAssertNumQueries

from foundation import clock
from foundation.caching.micro_cache import TTL_SECONDS
from leaderboards.models import Board, Period, Player
from leaderboards.services.periods.rank_history import record_due_rank_history, record_rank_history
from leaderboards.views.http import micro_cache
from leaderboards.views.http.bundles import SCRIPTS, STYLES, address_of
from tests.at_once import at_once
from tests.leaderboards.views.pages import count_round_trips, make_full_board, signed_in, text
from tests.playing import make_board, name, score

pytestmark = pytest.mark.django_db(transaction=True)

PAGES = ("/", "/boards/{}/", "/boards/{}/?fragment=1", "/boards/{}/?page=2", "/boards/{}/?embed=1", "/players/p001/")
FILES_LIMIT, STAFF_LIMIT = 57 * 1024, 17 * 1024  # bytes, gzipped; for players as they are sent
KINDS, PACKED = {".css": STYLES, ".js": SCRIPTS}, {"Accept-Encoding": "gzip"}
HTML_LIMIT, BESIDE_ROWS, ROW_LIMIT = 30 * 1024, 13 * 1024, 420  # bytes, as a page is before it is packed


@pytest.fixture
def board() -> int:
    return make_full_board()


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The moment, in monotonic seconds, as its only item; it stands still."""
    at = [clock.monotonic()]
    monkeypatch.setattr(clock, "monotonic", lambda: at[0])
    return at


def test_the_second_of_two_is_answered_without_sql_or_redis(
    client: Client, board: int, django_assert_num_queries: DjangoAssertNumQueries, monkeypatch: pytest.MonkeyPatch
) -> None:
    trips = count_round_trips(monkeypatch)
    for address in PAGES:
        first = client.get(address.format(board))
        trips.clear()

        with django_assert_num_queries(0):
            again = client.get(address.format(board))

        assert trips == [], address
        assert again.content == first.content, address
        assert again.get("ETag") == first.get("ETag"), address
        assert again["Cache-Control"] == "private, no-cache", address
        assert "Content-Security-Policy" in again, address


def test_while_one_makes_the_next_answer_the_others_get_the_old_one(
    client: Client, board: int, now: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    address = f"/boards/{board}/"
    old = client.get(address)
    score(board, {"newcomer": 5000})
    now[0] += TTL_SECONDS

    def made_meanwhile(request: HttpRequest, make: Callable[[], HttpResponse]) -> Any:
        beside.extend(at_once([lambda: Client().get(address)]))
        return making(request, make)

    beside: list[Any] = []
    making = micro_cache._compute
    monkeypatch.setattr(micro_cache, "_compute", made_meanwhile)
    maker = client.get(address)

    assert [each.content for each in beside] == [old.content]
    assert "newcomer" in text(maker)
    assert "newcomer" in text(client.get(address))


def test_304_before_all_else_is_for_anybody_alone_and_ends_with_the_second(
    client: Client, board: int, now: list[float]
) -> None:
    address = f"/boards/{board}/?fragment=1"
    tag = {"If-None-Match": client.get(address)["ETag"]}
    asked = RequestFactory()

    found = micro_cache.not_modified_response(asked.get(address, headers=tag))
    assert found is not None
    assert found.status_code == 304
    own = {"Cookie": "sessionid=x"}, {"Cookie": "player=p001"}, {"Accept-Language": "ko"}, {"If-None-Match": 'W/"x"'}
    for headers in own:
        assert micro_cache.not_modified_response(asked.get(address, headers=tag | headers)) is None, headers
    for request in (asked.get(f"{address}&player=p001", headers=tag), asked.post(address, headers=tag)):
        assert micro_cache.not_modified_response(request) is None
    now[0] += TTL_SECONDS
    assert micro_cache.not_modified_response(asked.get(address, headers=tag)) is None


def test_nobody_gets_what_was_made_for_somebody_or_in_another_language(client: Client, board: int) -> None:
    staff = signed_in(Client(), "boss", "p001", is_staff=True)
    address, secret = f"/boards/{board}/", f"/boards/{make_board(name='Secret')}/"
    assert client.get(secret).status_code == 200
    Board.objects.filter(name="Secret").update(visibility="private")
    micro_cache.forget()

    seen, anybodys = text(staff.get(address)), client.get(address)

    assert "Admin" in seen
    assert "p001 You" in seen
    assert "Admin" not in text(anybodys)
    assert (staff.get(secret).status_code, client.get(secret).status_code) == (200, 404)
    assert client.get(address, headers={"Accept-Language": "ko"}).content != anybodys.content
    assert "<b>" not in client.get(f"{address}?x=<b>").content.decode().partition("<main")[2]


# What each page may ask of SQL, however full it is: for anybody, and for a player.
QUERIES = {"/": (4, 9), "/boards/{}/": (6, 13), "/boards/{}/?fragment=1": (6, 9), "/players/p001/": (11, 15)}


@pytest.mark.usefixtures("now")  # nothing that is remembered grows old in between
def test_a_page_asks_sql_a_fixed_number_of_times(
    board: int, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    record_due_rank_history(
        clock.now() - timedelta(minutes=1)
    )  # the movement since the full hour costs no further question
    clients = Client(), signed_in(Client(), "someone", "p001")
    for address, most in QUERIES.items():
        for who, client in enumerate(clients):
            client.get(address.format(board))
            micro_cache.forget()

            with django_assert_max_num_queries(most[who], info=address):
                client.get(address.format(board))


def full_of_all() -> int:
    """A board with a race, fifty players with names and flags, and points on each of seven days."""
    board = make_full_board(period="all_time", update="increment", ties="shared")
    period = Period.objects.select_related("board").get(board=board)
    midnight = clock.now().replace(hour=0, minute=0, second=0, microsecond=0)
    for day in range(7, -1, -1):
        score(board, {f"p{number:03d}": 1 + (number * 37 + day * 53) % 997 for number in range(60)})
        at = midnight - timedelta(days=day) if day else clock.now() - timedelta(minutes=1)
        assert record_rank_history(period, at, at)
    for number in range(120):
        name(f"p{number:03d}", f"Player Name {number:02d}")
    Player.objects.update(country="KR")
    return board


@pytest.mark.parametrize("language", ["en", "ko"])
def test_fifty_rows_with_a_race_days_flags_and_names_are_thirty_kilobytes(client: Client, language: str) -> None:
    board = full_of_all()
    for query in ("", "?player=p003", "?player=p099", "?page=2"):
        page = client.get(f"/boards/{board}/{query}", headers={"Accept-Language": language}).content

        rows = re.findall(rb"<tr[^>]*><td.*?(?=<tr|</tbody>)", page)
        assert len(rows) >= 50
        assert page.count(b"<svg><path") >= 50
        assert len(page) < HTML_LIMIT, query


def test_a_full_page_is_small_and_so_are_all_scripts_and_styles_together(client: Client, board: int) -> None:
    for number in range(50):
        name(f"p{number:03d}", f"Player {number:02d}")
    Player.objects.update(country="KR")
    page = client.get(f"/boards/{board}/").content
    files = [each for kind in ("css", "js") for each in (Path(settings.BASE_DIR) / "static" / kind).iterdir()]

    rows = re.findall(rb"<tr[^>]*><td.*?(?=<tr|</tbody>)", page)
    assert len(rows) == 50
    assert sum(map(len, rows)) / 50 < ROW_LIMIT
    assert len(page) - sum(map(len, rows)) < BESIDE_ROWS
    assert len(page) < HTML_LIMIT
    for_staff = {each for each in files if each.name.startswith(("admin", "styleguide"))}  # not for players
    assert len(for_staff) > 5
    assert len(files) > 30
    for_players = sum(
        len(client.get(address_of(each.stem, KINDS[each.suffix]), headers=PACKED).content)
        for each in {*files} - for_staff
    )
    assert for_players < FILES_LIMIT
    assert sum(len(gzip.compress(each.read_bytes())) for each in for_staff) < STAFF_LIMIT


def test_the_sheets_come_in_one_answer_that_browsers_keep(client: Client) -> None:
    response = client.get(address_of("tokens base"), headers={"Accept-Encoding": "gzip"})

    folder = settings.BASE_DIR / "static" / "css"
    css = gzip.decompress(response.content).decode()
    written = ((folder / f"{each}.css").read_text("utf-8") for each in ("tokens", "base"))
    rules = re.sub(r"/\*.*?\*/", "", "".join(written), flags=re.DOTALL)
    assert re.sub(r"\s", "", css) == re.sub(r"\s", "", rules)
    assert response["Cache-Control"] == "public, max-age=31536000, immutable"
    assert response["Content-Type"] == "text/css; charset=utf-8"
    assert client.get(address_of("tokens base")).content.decode() == css


def test_scripts_of_a_page_come_in_one_answer_each_in_a_block_of_its_own(client: Client) -> None:
    response = client.get(address_of("live patch", SCRIPTS))

    text = response.content.decode()
    assert (text.count("try{\n"), text.count("}catch(error){reportError(error)}")) == (2, 2)
    assert text.index("const shortest") < text.index("const afterTouch")
    assert "// Applies the answers" not in text
    assert response["Content-Type"] == "text/javascript; charset=utf-8"
    assert client.get("/scripts/0/live+nothing.js").status_code == 404


def test_an_old_address_is_answered_but_not_kept_and_what_is_no_sheet_is_404(client: Client) -> None:
    assert client.get("/styles/0123456789abcdef/tokens.css")["Cache-Control"] == "no-cache"
    for names in ("nothing", "tokens+nothing", "..%2Fbase", "tokens+" * 60 + "tokens", "+"):
        assert client.get(f"/styles/0/{names}.css").status_code == 404, names


def test_what_turned_while_a_page_was_made_ends_it_whatever_another_part_of_it_says() -> None:
    request, at = RequestFactory().get("/"), clock.now()
    freeze, end = (at + timedelta(seconds=seconds) for seconds in (1, 9))

    micro_cache.expire_cache_at(request, [None, freeze, end], at)
    micro_cache.expire_cache_at(request, [end], freeze)

    assert request.META[micro_cache._EXPIRES_AT] == freeze


def _with_token(request: HttpRequest) -> HttpResponse:
    return HttpResponse(get_token(request))


def _with_cookie(request: HttpRequest) -> HttpResponse:
    response = HttpResponse("yours")
    response.set_cookie("yours", "1")
    return response


def _refused(request: HttpRequest) -> HttpResponse:
    return HttpResponse("busy", status=503)


@pytest.mark.parametrize("view", [_with_token, _with_cookie, _refused])
def test_what_carries_a_token_or_sets_a_cookie_or_is_a_refusal_is_kept_for_nobody(
    db: None, now: list[float], view: Callable[..., HttpResponse]
) -> None:
    seen: list[Any] = []

    def counted(request: HttpRequest) -> HttpResponse:
        seen.append(request)
        return view(request)

    kept, factory = micro_cache.micro_cached(counted), RequestFactory()
    for _ in range(2):
        kept(factory.get("/"))

    assert len(seen) == 2


@pytest.mark.parametrize(
    "asked",
    [{"HTTP_COOKIE": "sessionid=x"}, {"HTTP_COOKIE": "player=ann"}, {"QUERY_STRING": "code=x"}],
    ids=["session, and so its messages", "remembered player", "another name"],
)
def test_who_is_somebody_gets_an_answer_of_their_own(db: None, now: list[float], asked: dict[str, str]) -> None:
    seen: list[Any] = []

    def counted(request: HttpRequest) -> HttpResponse:
        seen.append(request)
        return HttpResponse("a page")

    kept, factory = micro_cache.micro_cached(counted), RequestFactory()
    for _ in range(2):
        kept(factory.get("/"))
    assert len(seen) == 1
    for nth in (2, 3):
        kept(factory.get("/", **asked))  # type: ignore[arg-type]  # the request factory takes variables of WSGI by name
        assert len(seen) == nth
    kept(factory.post("/"))
    assert len(seen) == 4
