"""What a key that demands signatures refuses those who have its text, or caught a request."""

from collections.abc import Iterator
from datetime import timedelta

import pytest
import time_machine
from django.conf import LazySettings
from django.test import Client

from foundation import clock
from foundation.models import UsedNonce
from foundation.security import key_restrictions, nonces, sealing, service_keys
from foundation.throttling import rate_limit
from foundation.throttling.limits import Limit
from leaderboards.models import Submission
from tests.foundation.factories import KeyFactory
from tests.leaderboards.api.conftest import Make, problem, take_redis_away
from tests.security.signer import SCORES, Signer, entry, send

pytestmark = pytest.mark.django_db


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
    signer: Signer, board: int, minutes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clock, "offset_from_sql", timedelta)  # SQL's clock goes with ours
    caught = signer.headers("POST", SCORES, entry(board))

    with time_machine.travel(clock.now() + timedelta(minutes=minutes)):
        late = signer.send("POST", SCORES, entry(board), signed=caught)

    problem(late, 401, "signature_expired")
    assert not UsedNonce.objects.exists()


def test_a_process_whose_clock_is_behind_lets_no_caught_request_in_again(monkeypatch: pytest.MonkeyPatch) -> None:
    signer = Signer(scopes=["players:write"])
    address, body = "/api/v1/players/alice", b'{"name": "Alice"}'
    caught = signer.headers("PUT", address, body)
    assert signer.send("PUT", address, body, signed=caught).status_code == 200
    late = timedelta(minutes=17)
    assert nonces.forget_old(clock.now() + late) == 1  # by a worker whose clock is right

    monkeypatch.setattr(clock, "offset_from_sql", lambda: -late)
    monkeypatch.setattr(clock, "_comparison", clock._Comparison())
    again = signer.send("PUT", address, body, signed=caught)

    assert "clock is wrong" in problem(again, 503, "unavailable")["detail"]
    assert not UsedNonce.objects.exists()


def test_the_tolerance_is_a_setting(
    signer: Signer, board: int, settings: LazySettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clock, "offset_from_sql", timedelta)
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
    new = key_restrictions.rotate(signer.key, at)
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


def test_no_page_of_the_admin_shows_what_is_sealed(admin_client: Client, signer: Signer) -> None:
    address = "/admin/foundation/servicekey/"

    for each in (address, f"{address}{signer.key.pk}/change/", f"{address}{signer.key.pk}/history/"):
        page = admin_client.get(each, follow=True).content.decode()
        assert signer.secret not in page
        assert sealing.FORM not in page
