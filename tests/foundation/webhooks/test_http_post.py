"""One try over a real socket: what is sent, and every way in which the other side can misbehave."""

import socket
from collections.abc import Callable
from functools import partial
from http.server import BaseHTTPRequestHandler

import pytest

from foundation.webhooks import addresses, http_post
from foundation.webhooks.http_post import post
from tests.at_once import at_once
from tests.foundation.webhooks.receiver import Behaviour, Receiver, lead_to, status

BODY = b'{"type":"test"}'
DRIPS = (
    (b"", b""),
    (b"", b"H"),
    (b"HTTP/1.1 200 OK\r\n", b"X"),
    (b"HTTP/1.1 200 OK\r\n", b"X: y\r\n"),
    (b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
    (b"HTTP/1.1 202 Accepted\r\nContent-Length: 9999\r\n\r\n", b"x"),
)


@pytest.fixture
def in_a_hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_post, "TOTAL_SECONDS", 0.5)


def test_body_and_headers_arrive_as_they_were_given_and_no_proxy_is_asked(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1/")
    monkeypatch.setenv("all_proxy", "http://127.0.0.1:1/")

    answer = post(receiver.url, BODY, {"webhook-id": "m-1"})

    assert (answer.status, answer.said, answer.is_good) == (200, "thanks", True)
    received = receiver.received[0]
    assert (received.path, received.body) == ("/hooks?from=sunwi", BODY)
    assert received.headers == {
        "host": f"127.0.0.1:{receiver.port}",
        "user-agent": "Sunwi-Webhooks",
        "content-type": "application/json",
        "content-length": str(len(BODY)),
        "accept-encoding": "identity",
        "webhook-id": "m-1",
    }


def _never_end(handler: BaseHTTPRequestHandler) -> None:
    handler.send_response(500)
    handler.end_headers()
    while True:  # until the other side hangs up
        handler.wfile.write(b"x" * 4096)


def _greet(handler: BaseHTTPRequestHandler) -> None:
    handler.wfile.write(b"SSH-2.0-OpenSSH_9.2\r\n")


@pytest.mark.parametrize(
    ("behave", "code", "said"),
    [
        (status(307, b"moved", Location="/"), 307, "moved"),
        (_never_end, 500, "x" * 2000),
        (status(400, b"\0\xff ok"), 400, "�� ok"),
        (status(202, b"no length of a chunk", **{"Transfer-Encoding": "chunked"}), 202, "The answer broke off: "),
        (_greet, None, "No answer: "),
    ],
    ids=["redirects", "endless", "no text", "breaks off", "no http"],
)
def test_the_beginning_of_an_answer_is_kept_as_text_whatever_it_is_and_no_redirect_is_followed(
    receiver: Receiver, behave: Behaviour, code: int | None, said: str
) -> None:
    receiver.behave = behave

    answer = post(receiver.url, BODY, {})

    assert (answer.status, answer.is_good) == (code, code == 202)
    assert answer.said.startswith(said)
    assert len(answer.said) <= 2000
    assert answer.seconds < http_post.TOTAL_SECONDS
    assert len(receiver.received) == 1


def _drip(before: bytes, drop: bytes, receiver: Receiver, handler: BaseHTTPRequestHandler) -> None:
    handler.wfile.write(before)
    while not receiver.leaving.wait(0.05):
        handler.wfile.write(drop)


@pytest.mark.usefixtures("in_a_hurry")
def test_an_answer_that_drips_or_never_comes_is_cut_off_and_a_body_after_the_status_changes_nothing(
    receivers: Callable[[], Receiver],
) -> None:
    dripping = [receivers() for _ in DRIPS]
    for receiver, drip in zip(dripping, DRIPS, strict=True):
        receiver.behave = partial(_drip, *drip, receiver)

    *answers, body = at_once([partial(post, receiver.url, BODY, {}) for receiver in dripping])

    for drip, answer in zip(DRIPS, answers, strict=False):
        assert answer.status is None, drip
        assert 0.5 <= answer.seconds < 3, drip
    assert (body.status, body.is_good, set(body.said), body.seconds < 3) == (202, True, {"x"}, True)


def test_a_closed_port_is_no_answer_and_the_next_address_of_a_name_is_tried(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    lead_to(monkeypatch, ["127.0.0.2"], ["127.0.0.2", "127.0.0.1"])
    url = f"http://hooks.example:{receiver.port}/"

    refused, good = post(url, BODY, {}), post(url, BODY, {})

    assert (refused.status, "refused" in refused.said) == (None, True)
    assert good.is_good


def test_nothing_is_sent_inside_unless_allowed(tls_receiver: Receiver) -> None:
    answer = post(f"https://127.0.0.1:{tls_receiver.port}/", BODY, {})

    assert answer.said == "127.0.0.1 leads to 127.0.0.1, which is not on the public internet: give a public address."
    assert (answer.status, tls_receiver.received) == (None, [])


class TestOverTls:
    """127.0.0.1 stands in for a public address; every other one is judged as always."""

    @pytest.fixture(autouse=True)
    def _stand_in(self, monkeypatch: pytest.MonkeyPatch) -> None:
        judge = addresses.is_public
        monkeypatch.setattr(addresses, "is_public", lambda ip: ip == "127.0.0.1" or judge(ip))

    def test_the_judged_address_is_asked_under_the_name_until_the_name_changes_its_mind(
        self, tls_receiver: Receiver, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        asked = lead_to(monkeypatch, ["127.0.0.1"], ["169.254.169.254"])
        url = f"https://hooks.example:{tls_receiver.port}/"

        first, second = post(url, BODY, {}), post(url, BODY, {})

        assert (first.status, first.said) == (200, "thanks")
        assert [each.headers["host"] for each in tls_receiver.received] == [f"hooks.example:{tls_receiver.port}"]
        assert second.status is None
        assert "169.254.169.254" in second.said
        assert len(asked) == 2  # once a try: what was judged is what was connected to

    def test_a_certificate_of_another_name_or_of_nobody_known_is_refused(
        self, tls_receiver: Receiver, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        lead_to(monkeypatch, ["127.0.0.1"])

        of_another_name = post(f"https://127.0.0.1:{tls_receiver.port}/", BODY, {})
        monkeypatch.delenv("SSL_CERT_FILE")
        of_nobody_known = post(f"https://hooks.example:{tls_receiver.port}/", BODY, {})

        assert "CERTIFICATE_VERIFY_FAILED" in of_another_name.said
        assert "CERTIFICATE_VERIFY_FAILED" in of_nobody_known.said
        assert tls_receiver.received == []

    @pytest.mark.usefixtures("in_a_hurry")
    def test_a_dripping_answer_and_a_handshake_that_never_comes_are_cut_off_too(
        self, tls_receiver: Receiver, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        lead_to(monkeypatch, ["127.0.0.1"])
        tls_receiver.behave = partial(_drip, b"HTTP/1.1 200 OK\r\n", b"X", tls_receiver)

        with socket.create_server(("127.0.0.1", 0)) as silent:
            urls = (f"https://hooks.example:{tls_receiver.port}/", f"https://127.0.0.1:{silent.getsockname()[1]}/")
            answers = at_once([partial(post, url, BODY, {}) for url in urls])

        for answer in answers:
            assert answer.status is None
            assert answer.seconds < 3
        assert len(tls_receiver.received) == 1
