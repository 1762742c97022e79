"""Whoever has a key's text, or caught a request: what a key that demands signatures and addresses still refuses."""

import hashlib
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import time_machine
from django.conf import LazySettings
from django.conf import settings as site
from django.test import Client

from foundation import clock, key_guards, rate_limit, sealing, service_keys, signatures
from foundation.limits import Limit
from foundation.models import ServiceKey, UsedNonce
from foundation.signatures import Signed
from leaderboards.models import Submission, Visibility
from tests.foundation.factories import KeyFactory
from tests.leaderboards.api.conftest import Make, problem, take_redis_away

pytestmark = pytest.mark.django_db

SCORES = "/api/v1/scores"
RECORD = '#!/bin/sh\nprintf \'%s\\0\' "$@" > "$RECORDED"\n'
DOCUMENT = Path(site.BASE_DIR) / "docs/api.md"


class Signer:
    """A game server that signs, or somebody who has its key and changes what it sent."""

    def __init__(self, **wanted: Any) -> None:
        self.text = KeyFactory.create(**wanted)
        self.key = ServiceKey.objects.get(prefix=self.text.split("_")[1])
        self.secret = key_guards.demand_signatures(self.key)

    def headers(self, method: str, address: str, body: bytes = b"", nonce: str = "") -> dict[str, str]:
        signed = Signed(method, address, body)
        return signatures.headers_of(signed, nonce or os.urandom(16).hex(), clock.now(), self.secret)

    def send(self, method: str, address: str, body: bytes = b"", **headers: Any) -> Any:
        """Signed unless ``signed`` holds other headers."""
        stamp = headers.pop("signed", None)
        wanted = self.headers(method, address, body) if stamp is None else stamp
        return send(self.text, method, address, body, {**wanted, **headers})


def send(key: str, method: str, address: str, body: bytes, headers: dict[str, str]) -> Any:
    client = Client(raise_request_exception=False)
    named = {"Authorization": f"Bearer {key}"} | headers
    remote = named.pop("From", "127.0.0.1")
    return client.generic(method, address, body, "application/json", headers=named, REMOTE_ADDR=remote)


def entry(board: int, points: int = 5) -> bytes:
    return b'{"entries": [{"board": %d, "player": "alice", "points": %d}]}' % (board, points)


@pytest.fixture
def board(make_board: Make) -> int:
    return make_board(storage="sql", update="increment")


@pytest.fixture
def signer() -> Signer:
    return Signer()


@pytest.fixture
def few(settings: LazySettings) -> Iterator[None]:
    """Three writes for each key, and three failures for each address."""
    settings.RATE_LIMITS = {**settings.RATE_LIMITS, "write": Limit(3, 300), "read": Limit(3, 300)}
    rate_limit.reset()
    yield
    rate_limit.reset()


def test_a_signed_request_is_let_in_and_the_same_without_signature_is_not(signer: Signer, board: int) -> None:
    let_in = signer.send("POST", SCORES, entry(board))
    bare = signer.send("POST", SCORES, entry(board), signed={})
    read = signer.send("GET", f"/api/v1/boards/{board}/standings", signed={})

    assert let_in.json()["accepted"] == 1
    assert "Sunwi-Timestamp, Sunwi-Nonce, Sunwi-Signature" in problem(bare, 401, "signature_missing")["detail"]
    problem(read, 401, "signature_missing")
    assert bare["WWW-Authenticate"].startswith("Bearer")
    assert Submission.objects.count() == 1


def test_a_caught_request_is_let_in_once_also_while_redis_is_away(
    signer: Signer, board: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    caught = signer.headers("POST", SCORES, entry(board))
    first = signer.send("POST", SCORES, entry(board), signed=caught)
    again = signer.send("POST", SCORES, entry(board), signed=caught)
    take_redis_away(monkeypatch)
    rate_limit.reset()
    dark = signer.send("POST", SCORES, entry(board), signed=caught)
    fresh = signer.send("POST", SCORES, entry(board))

    assert first.json()["accepted"] == fresh.json()["accepted"] == 1
    for refused in (again, dark):
        assert "a new one" in problem(refused, 401, "replayed")["detail"]
    assert Submission.objects.count() == 2


@pytest.mark.parametrize("minutes", [-6, 6])
def test_a_caught_request_that_never_arrived_is_too_old_after_the_tolerance(
    signer: Signer, board: int, minutes: int
) -> None:
    caught = signer.headers("POST", SCORES, entry(board))

    with time_machine.travel(clock.now() + timedelta(minutes=minutes)):
        late = signer.send("POST", SCORES, entry(board), signed=caught)

    problem(late, 401, "signature_expired")
    assert not UsedNonce.objects.exists()


def test_the_tolerance_is_a_setting(signer: Signer, board: int, settings: LazySettings) -> None:
    caught = signer.headers("POST", SCORES, entry(board))
    settings.SIGNATURE_TOLERANCE_SECONDS = 10

    with time_machine.travel(clock.now() + timedelta(seconds=12)):
        late = signer.send("POST", SCORES, entry(board), signed=caught)

    assert "10 s are allowed" in problem(late, 401, "signature_expired")["detail"]


def test_a_signature_is_for_one_method_address_query_and_body(signer: Signer, board: int) -> None:
    dry = f"{SCORES}?dry_run=true"
    caught = signer.headers("POST", dry, entry(board))
    read = signer.headers("GET", f"/api/v1/boards/{board}/players/alice")

    for refused in (
        signer.send("POST", SCORES, entry(board), signed=caught),
        signer.send("POST", f"{SCORES}?dry_run=false", entry(board), signed=caught),
        signer.send("POST", dry, entry(board, 500), signed=caught),
        signer.send("DELETE", f"/api/v1/boards/{board}/players/alice", signed=read),
        signer.send("POST", dry, entry(board), signed=caught | {"Sunwi-Nonce": "0" * 32}),
    ):
        problem(refused, 401, "signature_wrong")
    assert not UsedNonce.objects.exists()  # whoever cannot sign uses up nobody's nonces
    assert signer.send("POST", dry, entry(board), signed=caught).json()["accepted"] == 1


def test_another_keys_secret_signs_nothing_and_its_nonces_are_its_own(signer: Signer, board: int) -> None:
    other = Signer()
    caught = other.headers("POST", SCORES, entry(board))
    assert other.send("POST", SCORES, entry(board), signed=caught).status_code == 200

    problem(signer.send("POST", SCORES, entry(board), signed=caught), 401, "signature_wrong")
    own = signer.headers("POST", SCORES, entry(board), nonce=caught["Sunwi-Nonce"])
    assert signer.send("POST", SCORES, entry(board), signed=own).status_code == 200


def test_heads_and_paths_of_any_script_are_signed_as_they_are_documented(signer: Signer, board: int) -> None:
    address = f"/api/v1/boards/{board}/standings?limit=5"
    player = f"/api/v1/boards/{board}/players/%ED%95%9C%20%7E"  # sent with ~ encoded, which is signed as ~
    signed = signer.headers("GET", f"/api/v1/boards/{board}/players/%ED%95%9C%20~")

    assert signer.send("HEAD", address).status_code == 200
    assert signer.send("HEAD", address, signed=signer.headers("GET", address)).status_code == 401
    problem(signer.send("GET", player, signed=signed), 404, "not_ranked")


def test_a_signed_body_that_is_too_long_is_refused_before_it_is_kept(signer: Signer) -> None:
    body = b" " * (1024 * 1024 + 1)

    problem(signer.send("POST", SCORES, body), 413, "body_too_large")


def test_a_signature_that_nobody_would_check_is_refused(board: int) -> None:
    signer = Signer()
    plain = KeyFactory.create()

    refused = send(plain, "POST", SCORES, entry(board), signer.headers("POST", SCORES, entry(board)))

    problem(refused, 401, "signature_unexpected")
    assert send(plain, "POST", SCORES, entry(board), {}).status_code == 200


def test_after_a_rotation_both_secrets_sign_for_a_day(signer: Signer, board: int) -> None:
    old, at = signer.secret, clock.now()
    signer.send("POST", SCORES, entry(board))  # the key is remembered now
    new = key_guards.rotate(signer.key, at)
    service_keys.forget()

    def status(secret: str, hours: int) -> int:
        signer.secret = secret
        with time_machine.travel(at + timedelta(hours=hours)):
            return int(signer.send("GET", "/api/v1/boards").status_code)

    assert [status(secret, hours) for hours in (1, 25) for secret in (old, new)] == [200, 200, 401, 200]


@pytest.mark.usefixtures("few")
def test_whoever_has_the_key_alone_uses_up_the_limit_of_their_address_and_not_the_keys(
    signer: Signer, board: int
) -> None:
    caught = signer.headers("POST", SCORES, entry(board))
    signer.send("POST", SCORES, entry(board), signed=caught)

    tried = [signer.send("POST", SCORES, entry(board), signed=caught, From="203.0.113.9") for _ in range(4)]
    own = [signer.send("POST", SCORES, entry(board), From="203.0.113.8") for _ in range(3)]

    assert [each.status_code for each in tried] == [401, 401, 401, 429]
    assert [each.status_code for each in own] == [200, 200, 429]


def test_a_secret_that_cannot_be_opened_lets_nobody_in(
    signer: Signer, board: int, settings: LazySettings, caplog: pytest.LogCaptureFixture
) -> None:
    settings.ENCRYPTION_KEYS = ["another-key-that-never-sealed-anything"]

    refused = signer.send("POST", SCORES, entry(board))

    assert "ENCRYPTION" not in problem(refused, 503, "unavailable")["detail"]
    assert "can not be opened" in caplog.text


def test_a_key_that_is_bound_to_addresses_is_refused_from_all_others(board: int, settings: LazySettings) -> None:
    text = KeyFactory.create()
    key_guards.bind(ServiceKey.objects.get(), ["192.0.2.0/24", "2001:db8::7"])

    def told(remote: str, forwarded: str = "") -> Any:
        headers = {"From": remote} | ({"X-Forwarded-For": forwarded} if forwarded else {})
        return send(text, "POST", SCORES, entry(board), headers)

    within = [told(each).status_code for each in ("192.0.2.9", "::ffff:192.0.2.9", "2001:db8::7")]
    without = [told(each) for each in ("192.0.3.1", "2001:db8::8", "")]
    lied = told("203.0.113.5", "192.0.2.9")
    settings.TRUSTED_PROXIES = 1
    behind = told("10.0.0.1", "203.0.113.5, 192.0.2.9").status_code
    forged = told("192.0.2.9", "192.0.2.9, 203.0.113.5")
    unread = told("192.0.2.9", "192.0.2.9, unknown")

    assert within == [200, 200, 200]
    assert behind == 200
    for refused in (*without, lied, forged, unread):
        problem(refused, 403, "address_forbidden")
    assert "192.0.3.1" in problem(without[0], 403, "address_forbidden")["detail"]


def test_a_bound_key_reads_no_private_board_from_elsewhere(make_board: Make) -> None:
    board = make_board(visibility=Visibility.PRIVATE)
    text = KeyFactory.create()
    key_guards.bind(ServiceKey.objects.get(), ["192.0.2.0/24"])

    address = f"/api/v1/boards/{board}/standings"
    problem(send(text, "GET", address, b"", {"From": "192.0.3.1"}), 403, "address_forbidden")
    assert send(text, "GET", address, b"", {"From": "192.0.2.1"}).status_code == 200


def example(language: str) -> str:
    (found,) = re.findall(rf"```{language}\n(.*?)```", DOCUMENT.read_text("utf-8"), re.DOTALL)
    return str(found)


@pytest.fixture
def openssl() -> None:
    """Other hands than ours; skipped where they are not installed."""
    if shutil.which("openssl") is None:
        pytest.skip("no OpenSSL to run the example with")


@pytest.mark.usefixtures("openssl")
def test_the_documented_lines_are_those_that_are_signed(signer: Signer) -> None:
    (lines,) = re.findall(r"```\n(sunwi-v1\n.*?)\n```", DOCUMENT.read_text("utf-8"), re.DOTALL)
    _, method, address, moment, nonce, digest = lines.split("\n")

    with time_machine.travel(int(moment), tick=False):
        stamp = signer.headers(method, address, b'{"entries": []}', nonce)

    expected = subprocess.run(
        ["openssl", "dgst", "-sha256", "-hmac", signer.secret, "-r"],
        input=lines.encode(),
        capture_output=True,
        check=True,
    )
    assert digest == hashlib.sha256(b'{"entries": []}').hexdigest()
    assert stamp["Sunwi-Signature"] == f"v1={expected.stdout.split()[0].decode()}"


def test_the_example_in_python_is_let_in(signer: Signer, board: int) -> None:
    names: dict[str, Any] = {}
    exec(example("python"), names)  # noqa: S102 (our own page)
    player = f"/api/v1/boards/{board}/players/é ~"

    sent = names["signature_headers"]("POST", SCORES, "dry_run=true", entry(board), signer.secret)
    read = names["signature_headers"]("GET", player, "", b"", signer.secret)

    assert signer.send("POST", f"{SCORES}?dry_run=true", entry(board), signed=sent).json()["accepted"] == 1
    problem(signer.send("GET", player, signed=read), 404, "not_ranked")


@pytest.mark.usefixtures("openssl")
def test_the_example_for_the_shell_is_let_in(signer: Signer, tmp_path: Path) -> None:
    recorded, curl = tmp_path / "recorded", tmp_path / "curl"
    curl.write_text(RECORD)
    curl.chmod(0o755)
    secrets = {"SUNWI_KEY": signer.text, "SUNWI_SIGNING_SECRET": signer.secret, "RECORDED": str(recorded)}
    path = {"PATH": f"{tmp_path}:{os.environ['PATH']}"}

    subprocess.run(["sh", "-eu", "-c", example("sh")], check=True, env=path | secrets)

    url, option, body, *rest = recorded.read_text().rstrip("\0").split("\0")
    headers = dict(each.split(": ", 1) for each in rest[1::2])
    assert (option, set(rest[::2])) == ("--data-binary", {"-H"})  # which makes it a POST
    assert headers["Authorization"] == f"Bearer {signer.text}"
    stamp = {name: headers[name] for name in signatures.HEADERS}
    answer = signer.send("POST", url.removeprefix("https://boards.example"), body.encode(), signed=stamp)
    assert answer.json()["results"][0]["code"] == "unknown_board"


def test_no_page_of_the_admin_shows_what_is_sealed(admin_client: Client, signer: Signer) -> None:
    address = "/admin/foundation/servicekey/"

    for each in (address, f"{address}{signer.key.pk}/change/", f"{address}{signer.key.pk}/history/"):
        page = admin_client.get(each).content.decode()
        assert signer.secret not in page
        assert sealing.FORM not in page
