"""Signatures: the specification's own example, what must break one, and the examples in docs/webhooks.md run."""

import json
import re
import shutil
import subprocess
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.conf import settings
from hypothesis import given
from hypothesis import strategies as st

from foundation import clock
from foundation.webhooks import signing
from tests.foundation.webhooks.conftest import is_signed

AT = datetime(2026, 11, 21, 12, tzinfo=UTC)
BODY = '{"type":"test","data":{"name":"순위"}}'.encode()
Judge = Callable[[Mapping[str, str], bytes, str], bool]
SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
TOO_LATE = timedelta(minutes=10)  # Standard Webhooks tolerates five


def test_the_example_of_the_libraries_of_standard_webhooks_is_signed_as_there() -> None:
    at = datetime.fromtimestamp(1614265330, UTC)

    headers = signing.headers("msg_p5jXN8AQM9LWM0D4loKWxJek", at, b'{"test": 2432232314}', [SECRET])

    assert headers == {
        "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
        "webhook-timestamp": "1614265330",
        "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    }


@given(body=st.text(max_size=200), message_id=st.text("az09_-", min_size=1, max_size=40))
def test_what_was_signed_with_either_secret_of_a_rotation_is_verified(body: str, message_id: str) -> None:
    old, new = signing.new_secret(), signing.new_secret()
    assert (old != new, old[:6], len(old)) == (True, "whsec_", len("whsec_") + 44)  # 256 random bits

    headers = signing.headers(message_id, AT, body.encode(), [new, old])

    assert is_signed(headers, body.encode(), old, AT)
    assert is_signed(headers, body.encode(), new, AT)
    assert not is_signed(headers, body.encode() + b" ", new, AT)


def test_a_moment_in_another_zone_signs_the_same() -> None:
    in_seoul = AT.astimezone(ZoneInfo("Asia/Seoul"))

    assert signing.headers("m-1", in_seoul, BODY, [SECRET]) == signing.headers("m-1", AT, BODY, [SECRET])


def example(language: str) -> str:
    text = (Path(settings.BASE_DIR) / "docs/webhooks.md").read_text("utf-8")
    (found,) = re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)
    return str(found)


def in_python(headers: Mapping[str, str], body: bytes, secret: str) -> bool:
    names: dict[str, Any] = {}
    exec(example("python"), names)  # noqa: S102 - the code is from our own documentation
    return bool(names["is_genuine"](headers, body, secret))


def in_javascript(headers: Mapping[str, str], body: bytes, secret: str) -> bool:
    if shutil.which("node") is None:
        pytest.skip("no Node.js to run the example with")
    given = ", ".join((json.dumps(dict(headers)), f"Buffer.from({json.dumps(body.decode())})", json.dumps(secret)))
    program = f"{example('javascript')}\nconsole.log(isGenuine({given}));"
    said = subprocess.run(["node", "-"], input=program, capture_output=True, text=True, check=True).stdout
    return {"true": True, "false": False}[said.strip()]


@pytest.mark.parametrize("is_genuine", [in_python, in_javascript])
def test_the_documented_examples_tell_our_messages_from_others_and_old_ones(is_genuine: Judge) -> None:
    old, new = signing.new_secret(), signing.new_secret()
    headers = signing.headers("order-1", clock.now(), BODY, [new, old])
    late = signing.headers("order-1", clock.now() - TOO_LATE, BODY, [new])

    assert is_genuine(headers, BODY, new)
    assert is_genuine(headers, BODY, old)
    assert not is_genuine(headers, BODY, signing.new_secret())
    assert not is_genuine(headers, BODY + b" ", new)
    assert not is_genuine({**headers, "webhook-id": "order-2"}, BODY, new)
    assert not is_genuine(late, BODY, new)
