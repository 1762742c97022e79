"""Web push in a browser: it subscribes on the page of settings, and its worker shows what a push service delivers.

The push service is left out, as no test reaches the internet: what the browser would be told by it is told here.
"""

import json
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from playwright.sync_api import Page, expect
from pytest_django.fixtures import Settings
from pytest_django.live_server_helper import LiveServer

from competitions.models import PushSubscription
from foundation.push.encryption import public_bytes
from foundation.push.keys import new_key
from tests.browser.conftest import Opened
from tests.playing import account

ENDPOINT = "https://fcm.googleapis.com/send/one"
SUBSCRIBE = """([endpoint, key, secret]) => {
    const keys = { p256dh: new Uint8Array(key).buffer, auth: new Uint8Array(secret).buffer };
    PushManager.prototype.subscribe = async () => ({ endpoint, getKey: (name) => keys[name] });
}"""
SHOWN = """async () => {
    const worker = await navigator.serviceWorker.getRegistration();
    let all = [];
    for (let tries = 0; tries < 400 && all.length === 0; tries += 1) {
        await new Promise((resolve) => setTimeout(resolve, 50));
        all = await worker.getNotifications();
    }
    return all.map((each) => [each.title, each.body, each.tag, each.data]);
}"""  # waits itself: wait_for_function takes a promise for an answer


def deliver(page: Page, message: dict[str, str]) -> None:
    """What the browser does when its push service has a message for the site."""
    session = page.context.new_cdp_session(page)
    known: list[dict[str, Any]] = []
    session.on("ServiceWorker.workerRegistrationUpdated", lambda event: known.extend(event["registrations"]))
    session.send("ServiceWorker.enable")
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    origin = page.evaluate("location.origin")
    number = next(each["registrationId"] for each in known if not each["isDeleted"])
    delivered = {"origin": origin, "registrationId": number, "data": json.dumps(message)}
    session.send("ServiceWorker.deliverPushMessage", delivered)


def test_a_browser_subscribes_and_shows_what_it_is_told(
    live_server: LiveServer, opened: Opened, settings: Settings
) -> None:
    del live_server
    settings.PUSH_KEY = new_key()
    account("robin", "robin")
    page = opened("/inbox/settings/", who="robin", permissions=["notifications"])
    key = public_bytes(generate_private_key(SECP256R1()).public_key())
    page.evaluate(SUBSCRIBE, [ENDPOINT, list(key), list(b"0123456789abcdef")])

    page.get_by_role("button", name="Tell me in this browser").click()
    expect(page.get_by_role("status")).to_have_text("This browser tells you from now on.")
    deliver(page, {"title": "A cup: it has started", "body": "It ends.", "tag": "notice-1", "url": "/competitions/1/"})

    assert page.evaluate(SHOWN) == [["A cup: it has started", "It ends.", "notice-1", "/competitions/1/"]]
    assert PushSubscription.objects.get().endpoint == ENDPOINT
    page.get_by_role("button", name="In no browser any more").click()
    expect(page.get_by_role("status")).to_have_text("Saved.")
    assert not PushSubscription.objects.exists()
