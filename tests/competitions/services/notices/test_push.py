"""Web push of notices: encrypted for the browser, tried again, taken away where it is gone, to known services alone."""

import json
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ec import ECDH, SECP256R1, generate_private_key
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.test import Client
from pytest_django.fixtures import Settings
from urllib3.connection import HTTPConnection

from competitions.errors import BadSubscription
from competitions.models import Notice, PushMessage, PushSubscription
from competitions.services.notices import push
from competitions.services.notices.notices import write_notices
from competitions.services.notices.push import MOST_DEVICES, Device, send_due_push, subscribe
from foundation.push import send
from foundation.push.encryption import public_bytes, read_public
from foundation.push.keys import encode, new_key
from foundation.webhooks import addresses
from tests.competitions.services.telling import NOON, contest, who
from tests.foundation.webhooks.receiver import Behaviour, Receiver, status
from tests.leaderboards.factories import UserFactory
from tests.leaderboards.views.pages import signed_in, text

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("links")]

BROWSER = generate_private_key(SECP256R1())
SECRET = b"0123456789abcdef"
SECOND = timedelta(seconds=1)
LATER: dict[str, Any] = {"Retry-After": "900"}


@pytest.fixture(autouse=True)
def _with_key(settings: Settings) -> None:
    settings.PUSH_KEY, settings.SITE_URL = new_key(), "https://boards.example"


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Iterator[Receiver]:
    """A push service on loopback, to which every connection goes instead."""
    receiver = Receiver()

    def connect(target: Any, _ips: list[str], _until: float) -> HTTPConnection:
        assert (target.scheme, target.port) == ("https", 443)
        connection = HTTPConnection("127.0.0.1", receiver.port, timeout=5)
        connection.connect()
        return connection

    monkeypatch.setattr(send, "connect", connect)
    monkeypatch.setattr(addresses, "resolve", lambda _target, may_be_private: ["192.0.2.1"] * (not may_be_private))
    yield receiver
    receiver.leave()


def device(rest: str = "one", host: str = "fcm.googleapis.com") -> Device:
    return Device(f"https://{host}/send/{rest}", encode(public_bytes(BROWSER.public_key())), encode(SECRET))


def told(kind: str = "started") -> Notice:
    """A notice to ann, whose account is active, about a competition that starts."""
    ann = who("ann")
    if ann.user is None:
        ann.user = UserFactory.create()
        ann.save()
    cup = contest("ann")
    notice = Notice(competition=cup, player=ann, kind=kind, details={"ends_at": cup.ends_at.isoformat()})
    write_notices([notice], NOON)
    return notice


def read(body: bytes) -> Any:
    """What the browser reads (RFC 8291, from the other side)."""
    salt, key, sealed = body[:16], body[21:86], body[86:]
    info = b"WebPush: info\0" + public_bytes(BROWSER.public_key()) + key
    base = HKDF(SHA256(), 32, SECRET, info).derive(BROWSER.exchange(ECDH(), read_public(key)))
    cipher = HKDF(SHA256(), 16, salt, b"Content-Encoding: aes128gcm\0").derive(base)
    nonce = HKDF(SHA256(), 12, salt, b"Content-Encoding: nonce\0").derive(base)
    return json.loads(AESGCM(cipher).decrypt(nonce, sealed, None).removesuffix(b"\x02"))


def test_a_notice_reaches_the_browser_and_nobody_else_can_read_it(service: Receiver) -> None:
    subscribe(who("ann"), device(), NOON)
    notice = told()

    sent = send_due_push(NOON)

    (received,) = service.received
    assert sent == 1
    assert received.path == "/send/one"
    assert received.headers["content-encoding"] == "aes128gcm"
    assert received.headers["authorization"].startswith("vapid t=")
    assert b"A cup" not in received.body
    shown = read(received.body)
    assert (shown["title"], shown["tag"]) == ("A cup: it has started", f"notice-{notice.pk}")
    assert shown["url"] == f"/competitions/{notice.competition_id}/"
    assert "It ends on" in shown["body"]
    assert not PushMessage.objects.exists()


@pytest.mark.parametrize("code", [404, 410])
def test_a_browser_that_is_gone_is_deleted_with_its_messages(service: Receiver, code: int) -> None:
    service.behave = status(code)
    subscribe(who("ann"), device(), NOON)
    told()

    assert send_due_push(NOON) == 0
    assert not PushSubscription.objects.exists()


@pytest.mark.parametrize(
    ("busy", "after"),
    [(status(503), timedelta(minutes=2)), (status(429, **LATER), timedelta(minutes=15))],
)
def test_a_service_that_is_busy_is_asked_again_later(service: Receiver, busy: Behaviour, after: timedelta) -> None:
    service.behave = busy
    subscribe(who("ann"), device(), NOON)
    told()

    send_due_push(NOON)
    service.behave = status(201)

    assert send_due_push(NOON + after - SECOND) == 0
    assert send_due_push(NOON + after) == 1
    assert len(service.received) == 2


def test_what_a_service_refuses_for_good_is_dropped_and_old_news_too(
    service: Receiver, caplog: pytest.LogCaptureFixture
) -> None:
    subscribe(who("ann"), device("secret-path"), NOON)
    told()
    service.behave = status(403)
    send_due_push(NOON)
    left = PushMessage.objects.count()
    told()
    late = send_due_push(NOON + 2 * push.KEPT_FOR)

    assert (left, late, PushMessage.objects.count()) == (0, 0, 0)
    assert len(service.received) == 1
    assert "fcm.googleapis.com refuses push message" in caplog.text
    assert "secret-path" not in caplog.text


def test_a_browser_gets_one_message_in_ten_seconds(service: Receiver) -> None:
    subscribe(who("ann"), device(), NOON)
    told()
    told()

    assert [send_due_push(NOON + nth * SECOND) for nth in (0, 9, 10)] == [1, 0, 1]
    assert len(service.received) == 2


@pytest.mark.parametrize(
    "wrong",
    [
        device(host="127.0.0.1"),
        device(host="fcm.googleapis.com.example.org"),
        Device("http://fcm.googleapis.com/send/1", device().browser_key, device().secret),
        Device("https://fcm.googleapis.com:8443/send/1", device().browser_key, device().secret),
        Device("https://me@fcm.googleapis.com/send/1", device().browser_key, device().secret),
        Device(device().endpoint, "AAAA", device().secret),
        Device(device().endpoint, device().browser_key, "AAAA"),
        Device(f"https://fcm.googleapis.com/{'x' * 1000}", device().browser_key, device().secret),
    ],
)
def test_only_known_services_and_whole_keys_are_taken(wrong: Device) -> None:
    with pytest.raises(BadSubscription):
        subscribe(who("ann"), wrong, NOON)


def test_a_host_that_left_the_setting_gets_nothing_more(service: Receiver, settings: Settings) -> None:
    subscribe(who("ann"), device(), NOON)
    told()
    settings.PUSH_HOSTS = ["updates.push.services.mozilla.com"]

    assert send_due_push(NOON) == 0
    assert service.received == []
    assert not PushSubscription.objects.exists()


def test_a_browser_belongs_to_whom_it_was_given_last_and_the_oldest_goes() -> None:
    for number in range(MOST_DEVICES + 1):
        subscribe(who("ann"), device(str(number)), NOON + number * SECOND)
    subscribe(who("bob"), device("5"), NOON)

    own = set(PushSubscription.objects.filter(player__external_id="ann").values_list("endpoint", flat=True))

    assert len(own) == MOST_DEVICES - 1
    assert device("0").endpoint not in own
    assert PushSubscription.objects.get(endpoint=device("5").endpoint).player.external_id == "bob"


def test_players_subscribe_and_unsubscribe_on_their_settings_page(client: Client, settings: Settings) -> None:
    ann = signed_in(client, "ann's", "ann")
    typed = {"endpoint": device().endpoint, "browser_key": device().browser_key, "secret": device().secret}

    first = text(ann.get("/inbox/settings/"))
    taken = text(ann.post("/inbox/push/", {**typed, "wanted": "1"}, follow=True))
    refused = text(ann.post("/inbox/push/", {**typed, "endpoint": "https://example.org/", "wanted": "1"}, follow=True))
    ann.post("/inbox/push/", {"wanted": "0"})
    worker = ann.get("/push-worker.js")
    settings.PUSH_KEY = ""
    off = text(ann.get("/inbox/settings/"))

    assert "On your devices" in first
    assert "This browser tells you from now on." in taken
    assert "1 browser tells you." in taken
    assert "example.org, is not one that this site sends to." in refused
    assert not PushSubscription.objects.exists()
    assert worker["Content-Type"] == "text/javascript; charset=utf-8"
    assert "showNotification" in worker.content.decode()
    assert "On your devices" not in off
    assert ann.post("/inbox/push/", {"wanted": "0"}).status_code == 404


def test_another_key_ends_what_was_subscribed_with_the_one_before(service: Receiver, settings: Settings) -> None:
    subscribe(who("ann"), device(), NOON)
    told()
    settings.PUSH_KEY = new_key()
    with_another = send_due_push(NOON), PushSubscription.objects.count()
    subscribe(who("ann"), device(), NOON)
    settings.PUSH_KEY = ""

    assert with_another == (0, 0)
    assert (send_due_push(NOON), PushSubscription.objects.count()) == (0, 0)
    assert service.received == []
