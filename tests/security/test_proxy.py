"""Slow and endless requests before the site as it is run: whoever else asks is answered about as soon as ever."""

import gzip
import re
import socket
import time
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path
from select import select

import pytest
from django.conf import settings
from django.urls import reverse

from leaderboards.api.http import bodies
from leaderboards.models import Player
from tests.playing import make_board, score
from tests.security.asking import ask, told
from tests.security.attackers import (
    Deed,
    attack,
    opening,
    probe,
    reads,
    sends_a_body,
    sends_a_header,
    times_slower,
)
from tests.security.front import HOST, ROOT, SHIPPED, Front, front, proxy_alone

pytestmark = pytest.mark.django_db(transaction=True)

TIMES = 40
SLOWER_AT_MOST = 4.0  # than the same probe without an attack, just before and just after
LOGIN = "/accounts/login/"
MEGABYTE = 1024 * 1024
# With a cookie made up, so that Django looks for the token in the body.
FORM = opening(
    "POST", LOGIN, f"Cookie: csrftoken={'a' * 32}",
    "Content-Type: application/x-www-form-urlencoded", "Content-Length: 5000", "",
)  # fmt: skip  # as a list
PIECE = b"x" * 65536


@pytest.fixture(scope="module")
def plain(django_db_setup: None, redis_server: object, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Front]:
    """The site without TLS, for all tests of this file."""
    with front(tmp_path_factory.mktemp("front"), HTTPS="off", LOGIN_LIMIT="2/300") as made:
        yield made


def slower(made: Front, path: str, many: int, first: bytes, action: Deed) -> float:
    """How many times slower a probe is while ``many`` attack; each probe is answered."""
    probe(made.port, path, 10)
    before = probe(made.port, path, TIMES)
    with attack(made.port, many, first, action):
        attacked = probe(made.port, path, TIMES)
    return times_slower(attacked, before + probe(made.port, path, TIMES))


@pytest.mark.parametrize(
    ("many", "first", "action"),
    [
        pytest.param(64, FORM, sends_a_body, id="endless-bodies"),
        pytest.param(900, opening("GET", LOGIN) + b"X-Slow: ", sends_a_header, id="slow-headers"),
    ],
)
def test_while_strangers_never_end_their_requests_others_are_answered(
    plain: Front, many: int, first: bytes, action: Deed
) -> None:
    board = make_board()

    assert slower(plain, f"/api/v1/boards/{board}/standings", many, first, action) <= SLOWER_AT_MOST


@pytest.mark.long
@pytest.mark.alone
def test_while_strangers_do_not_fetch_a_long_csv_others_are_answered(plain: Front) -> None:
    board = make_board(storage="sql", period="all_time")
    for thousand in range(15):
        score(board, {f"{thousand}-{nth}-{'x' * 50}": nth for nth in range(1000)})
    Player.objects.update(name="가" * 64)  # 5 MB, more than the sockets hold on their way
    first = opening("GET", f"/api/v1/boards/{board}/standings.csv") + b"\r\n"

    probe(plain.port, f"/boards/{board}/", 10)
    before = probe(plain.port, f"/boards/{board}/", TIMES)
    with attack(plain.port, 24, first, reads):
        probe(plain.port, f"/boards/{board}/", 10)  # also while the files are made
        wait_until_made(plain)
        attacked = probe(plain.port, f"/boards/{board}/", TIMES)

    after = probe(plain.port, f"/boards/{board}/", TIMES)
    assert times_slower(attacked, before + after) <= SLOWER_AT_MOST


def wait_until_made(made: Front) -> None:
    """The files that the application makes are all in the proxy's hands."""
    laid, give_up = -1, time.monotonic() + 90
    while (now := made.laid_down()) != laid or not laid:
        assert time.monotonic() < give_up, "no file is laid down before those who fetch it slowly"
        laid = now
        time.sleep(1)


@pytest.mark.parametrize("path", [LOGIN, "/api/v1/scores", "/admin/competitions/competition/add/"])
def test_three_hundred_megabytes_are_refused_by_their_length_and_lie_nowhere(plain: Front, path: str) -> None:
    """Declared, they are refused before a byte of them comes; in chunks, as soon as there are too many."""
    declared, nothing, _ = poured(plain, path, f"Content-Length: {300 * MEGABYTE}", b"")
    in_chunks, taken, laid = poured(plain, path, "Transfer-Encoding: chunked", b"%x\r\n%b\r\n" % (len(PIECE), PIECE))

    for answer in (declared, in_chunks):
        assert answer.startswith("HTTP/1.1 413 "), answer
        assert ("application/problem+json" in answer) == path.startswith("/api/")
    assert nothing == 0
    assert taken <= 16 * MEGABYTE  # what both sides' buffers hold comes on top of the 1 or 8 MiB
    assert laid <= settings.LARGEST_UPLOAD


def poured(made: Front, path: str, length: str, piece: bytes) -> tuple[str, int, int]:
    """The answer, how much was sent of 300 MB until it came, and the most that lay in files meanwhile."""
    taken = laid = 0
    kind = "Content-Type: multipart/form-data; boundary=b"
    with socket.create_connection((HOST, made.port), timeout=20) as line:
        line.sendall(opening("POST", path, kind, length) + b"\r\n")
        while piece and taken < 300 * MEGABYTE and not select([line], [], [], 0)[0]:
            line.sendall(piece)
            taken += len(piece)
            laid = max(laid, made.laid_down())
        return line.recv(65536).decode(), taken, laid


def test_a_client_who_writes_addresses_into_headers_is_counted_by_their_own(plain: Front) -> None:
    def signs_in(nth: int, source: str = HOST) -> int:
        form = f"csrfmiddlewaretoken={'a' * 32}&username=nobody&password=wrong".encode()
        forged = {"X_Forwarded_For": f"192.0.2.{nth}", "Forwarded": f"for=192.0.2.{nth}"}
        kind = {"Content_Type": "application/x-www-form-urlencoded", "Cookie": f"csrftoken={'a' * 32}"}
        return ask(plain.port, "POST", LOGIN, form, source, **forged, **kind).status

    assert [signs_in(nth) for nth in range(3)] == [200, 200, 429]
    assert signs_in(4, "127.0.0.9") == 200


@pytest.mark.parametrize("page", ["reset/MTE", "sign-up", "email", "invitations"])
def test_the_end_of_a_link_from_a_mail_is_in_no_log(plain: Front, tmp_path: Path, page: str) -> None:
    with proxy_alone(tmp_path) as alone:  # what says that the application is away quotes the address, too
        away = ask(alone.port, "GET", f"/accounts/{page}/the-secret-end/")
    ask(plain.port, "GET", f"/accounts/{page}/the-secret-end/")
    ask(plain.port, "GET", f"//accounts/%{ord(page[0]):02x}{page[1:]}/the-secret-end/")
    lines = [path.read_text() for folder in (plain.folder.parent, tmp_path) for path in folder.glob("*.log")]

    assert away.status == 503
    assert len(lines) == 3
    assert any(f"/accounts/{page.partition('/')[0]}/***" in text for text in lines)
    assert not any("the-secret-end" in text for text in lines)


def test_what_the_proxy_refuses_by_itself_says_what_to_do(plain: Front) -> None:
    too_long = b"x" * (bodies.MAX_BYTES + 1)
    page, api = (ask(plain.port, "POST", path, too_long) for path in (LOGIN, "/api/v1/scores"))

    assert (page.status, page.headers["Content-Type"]) == (413, "text/plain; charset=utf-8")
    assert told(api)["code"] == "body_too_large"
    # The application judges the others, of which it reads no body without a key.
    assert {ask(plain.port, "POST", "/api/v1/scores", b"x" * bodies.MAX_BYTES).status for _ in range(10)} == {401}
    assert ask(plain.port, "GET", "/proxy-alive").status == 204


def test_many_at_once_from_one_address_are_refused_there_and_nobody_else_is(plain: Front) -> None:
    with attack(plain.port, 140, FORM, sends_a_body, spread=False):
        page, api = (ask(plain.port, "GET", path) for path in (LOGIN, "/api/v1/boards"))
        elsewhere = ask(plain.port, "GET", LOGIN, source="127.0.0.9")

    assert (page.status, page.headers["Retry-After"], elsewhere.status) == (429, "5", 200)
    assert (told(api)["code"], api.headers["Retry-After"]) == ("rate_limited", "5")


def test_where_the_application_is_away_the_proxy_says_so(tmp_path: Path) -> None:
    with proxy_alone(tmp_path) as made:
        page, api = (ask(made.port, "GET", path) for path in (LOGIN, "/api/v1/boards"))

    assert (page.status, page.headers["Retry-After"]) == (503, "5")
    assert (told(api)["code"], api.headers["Retry-After"]) == ("unavailable", "5")


def test_the_first_certificate_is_proven_while_there_is_none(plain: Front) -> None:
    proof = plain.folder / "acme" / ".well-known" / "acme-challenge" / "first"
    proof.write_text("proof")

    proven, unknown = (ask(plain.port, "GET", f"/.well-known/acme-challenge/{name}") for name in ("first", "none"))

    assert (proven.status, proven.text) == (200, "proof")
    assert unknown.status == 404


def test_what_the_proxy_takes_is_what_the_application_takes() -> None:
    site, limits = ((SHIPPED / name).read_text() for name in ("site.conf", "http.conf"))
    [usual] = re.findall(r"client_max_body_size (\d+)m;", limits)
    [(pattern, files)] = re.findall(r"location ~ (\S+) {\n    client_max_body_size (\d+)m;", site)
    addresses = [reverse(name, args=[] if name.endswith("_add") else [12]) for name in settings.FORMS_WITH_FILES]

    assert int(usual) * MEGABYTE == bodies.MAX_BYTES == settings.DATA_UPLOAD_MAX_MEMORY_SIZE
    assert int(files) * MEGABYTE == settings.LARGEST_UPLOAD
    assert all(re.search(pattern, each) for each in addresses)
    assert not any(re.search(pattern, each) for each in (LOGIN, "/admin/auth/user/add/", "/"))


def test_the_proxy_alone_is_reached_from_outside() -> None:
    services = (ROOT / "docker-compose.yml").read_text().partition("\nservices:\n")[2].partition("\nvolumes:\n")[0]
    blocks = dict(re.findall(r"^  (\w+):\n((?:    .*\n|\n|  #.*\n)*)", services, re.MULTILINE))

    assert {name for name, block in blocks.items() if "ports:" in block} == {"proxy"}
    assert {"proxy", "web", "worker", "postgres", "boards"} <= set(blocks)


def test_pages_are_packed_on_their_way_and_answers_of_the_api_are_not(plain: Front) -> None:
    board = make_board()
    score(board, {f"p{nth:02d}": nth for nth in range(50)})
    link = HTTPConnection(HOST, plain.port, timeout=20)

    link.request("GET", f"/boards/{board}/", headers={"Accept-Encoding": "gzip"})
    packed = link.getresponse()
    body = gzip.decompress(packed.read())
    link.request("GET", f"/api/v1/boards/{board}/standings", headers={"Accept-Encoding": "gzip"})
    answer = link.getresponse()
    answer.read()
    link.close()

    assert packed.headers["Content-Encoding"] == "gzip"
    assert "Accept-Encoding" in ", ".join(packed.headers.get_all("Vary", []))
    assert packed.headers["ETag"] is None or packed.headers["ETag"].startswith("W/")
    assert body.decode().rstrip().endswith("</html>")
    assert "Content-Encoding" not in answer.headers
