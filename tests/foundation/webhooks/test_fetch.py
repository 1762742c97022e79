"""One file over a real socket: what is fetched, and every way in which the other side can misbehave or lead inside."""

import socket
from functools import partial
from http.server import BaseHTTPRequestHandler

import pytest
from pytest_django.fixtures import Settings

from foundation.http import fetch as module
from foundation.http.fetch import NotFetched, fetch
from foundation.webhooks import addresses
from tests.foundation.webhooks.receiver import Behaviour, Receiver, lead_to, status

KINDS = ("image/png",)
CONTENT = b"\x89PNG and so on"


@pytest.fixture(autouse=True)
def _stand_in(monkeypatch: pytest.MonkeyPatch) -> None:
    """127.0.0.1 stands in for a public address; every other one is judged as always."""
    judge = addresses.is_public
    monkeypatch.setattr(addresses, "is_public", lambda ip: ip == "127.0.0.1" or judge(ip))


@pytest.fixture
def site(tls_receiver: Receiver, monkeypatch: pytest.MonkeyPatch) -> Receiver:
    """The site hooks.example, on whose port pictures are fetched."""
    monkeypatch.setattr(module, "PORT", tls_receiver.port)
    tls_receiver.behave = status(200, CONTENT, **{"Content-Type": "image/png"})
    return tls_receiver


def address(site: Receiver) -> str:
    return f"https://hooks.example:{site.port}/me.png?x=1"


def test_a_file_is_fetched_under_its_name_from_the_judged_address(
    site: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = lead_to(monkeypatch, ["127.0.0.1"])

    assert fetch(address(site), KINDS) == CONTENT

    (request,) = site.received
    assert request.path == "/me.png?x=1"
    assert request.headers["host"] == f"hooks.example:{site.port}"
    assert "cookie" not in request.headers
    assert len(asked) == 1  # what was judged is what was connected to


def _never_end(handler: BaseHTTPRequestHandler) -> None:
    handler.send_response(200)
    handler.send_header("Content-Type", "image/png")
    handler.end_headers()
    while True:  # until the other side hangs up
        handler.wfile.write(b"x" * 65536)


PNG = {"Content-Type": "image/png"}


@pytest.mark.parametrize(
    ("behave", "why", "is_gone"),
    [
        (status(302, b"", Location="https://127.0.0.1/"), "answered 302", False),
        (status(404, b""), "answered 404", True),
        (status(410, b""), "answered 410", True),
        (status(500, b""), "answered 500", False),
        (status(200, b"<svg/>", **{"Content-Type": "image/svg+xml"}), r"image/svg\+xml, not one of image/", False),
        (status(200, b"?"), "no type, not one of image/", False),
        (status(200, b"x" * (2 * 1024 * 1024 + 1), **PNG), "more than 2 MB", False),
        (_never_end, "more than 2 MB", False),
        (status(200, CONTENT, **PNG, **{"Content-Encoding": "gzip"}), "compressed", False),
    ],
    ids=["redirect", "missing", "gone", "broken", "svg", "no type", "large", "endless", "compressed"],
)
def test_anything_but_a_small_picture_is_refused_and_no_redirect_is_followed(
    site: Receiver, monkeypatch: pytest.MonkeyPatch, behave: Behaviour, why: str, is_gone: bool
) -> None:
    lead_to(monkeypatch, ["127.0.0.1"])
    site.behave = behave

    with pytest.raises(NotFetched, match=why) as refused:
        fetch(address(site), KINDS)

    assert refused.value.is_gone is is_gone
    assert len(site.received) == 1


@pytest.mark.parametrize("inside", ["10.0.0.1", "127.0.0.2", "169.254.169.254", "::1", "fd00::1", "100.64.0.1"])
def test_nothing_is_fetched_inside_even_where_webhooks_may_go_there(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, inside: str
) -> None:
    settings.WEBHOOK_ALLOW_PRIVATE = True
    asked = lead_to(monkeypatch, ["127.0.0.1", inside])

    with pytest.raises(NotFetched, match="not on the public internet"):
        fetch("https://hooks.example/me.png", KINDS)

    assert len(asked) == 1


@pytest.mark.parametrize(
    "bad",
    [
        "http://hooks.example/", "https://hooks.example:22/", "https://me:secret@hooks.example/", "ftp://hooks.example/",
        "https://hooks.example /", "https:///me.png", "file://hooks.example/me.png", "",
    ],
)  # fmt: skip  # as a list
def test_other_addresses_than_https_on_its_port_are_refused_before_anybody_is_asked(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, bad: str
) -> None:
    settings.WEBHOOK_ALLOW_PRIVATE = True
    asked = lead_to(monkeypatch)

    with pytest.raises(NotFetched):
        fetch(bad, KINDS)

    assert asked == []


def test_an_answer_that_drips_or_breaks_off_and_a_handshake_that_never_comes_are_no_picture(
    site: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    lead_to(monkeypatch, *[["127.0.0.1"]] * 3)

    def break_off(handler: BaseHTTPRequestHandler) -> None:
        handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Length: 99\r\n\r\nx")
        handler.close_connection = True

    site.behave = break_off
    with pytest.raises(NotFetched):
        fetch(address(site), KINDS)

    monkeypatch.setattr(module, "TOTAL_SECONDS", 0.5)
    site.behave = partial(_drip, site)
    with pytest.raises(NotFetched):
        fetch(address(site), KINDS)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        monkeypatch.setattr(module, "PORT", silent.getsockname()[1])
        with pytest.raises(NotFetched):
            fetch(f"https://hooks.example:{module.PORT}/", KINDS)


def _drip(site: Receiver, handler: BaseHTTPRequestHandler) -> None:
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n\r\n")
    while not site.leaving.wait(0.05):
        handler.wfile.write(b"x")
