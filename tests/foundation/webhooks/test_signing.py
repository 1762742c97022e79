"""Signatures: the specification's own example, and everything that must break one."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foundation.webhooks import signing

AT = datetime(2026, 11, 21, 12, tzinfo=UTC)
BODY = b'{"type":"test"}'
SECRET, ANOTHER = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_AAAA9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
SECOND = timedelta(seconds=1)
FIVE_MINUTES = timedelta(minutes=5)


def test_the_example_of_the_libraries_of_standard_webhooks_is_signed_as_there() -> None:
    at = datetime.fromtimestamp(1614265330, UTC)

    headers = signing.headers("msg_p5jXN8AQM9LWM0D4loKWxJek", at, b'{"test": 2432232314}', [SECRET])

    assert headers == {
        "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
        "webhook-timestamp": "1614265330",
        "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    }


def test_a_secret_is_256_random_bits() -> None:
    one, other = signing.new_secret(), signing.new_secret()

    assert one != other
    assert one.startswith("whsec_")
    assert len(one) == len("whsec_") + 44


@given(body=st.binary(max_size=200), message_id=st.from_regex(r"[a-z0-9_-]{1,40}", fullmatch=True))
def test_what_was_signed_with_either_secret_of_a_rotation_is_verified(body: bytes, message_id: str) -> None:
    old, new = signing.new_secret(), signing.new_secret()

    headers = signing.headers(message_id, AT, body, [new, old])

    assert signing.verify(headers, body, old, AT)
    assert signing.verify(headers, body, new, AT)


@pytest.mark.parametrize(
    ("headers", "body", "secret", "at", "is_genuine"),
    [
        ({}, BODY, SECRET, AT, True),
        ({}, BODY + b" ", SECRET, AT, False),
        ({"webhook-id": "m-2"}, BODY, SECRET, AT, False),
        ({"webhook-timestamp": str(int(AT.timestamp()) + 1)}, BODY, SECRET, AT, False),
        ({"webhook-timestamp": "-1"}, BODY, SECRET, AT, False),
        ({"webhook-signature": "v1,ключ"}, BODY, SECRET, AT, False),
        ({}, BODY, ANOTHER, AT, False),
        ({}, BODY, SECRET, AT + FIVE_MINUTES, True),
        ({}, BODY, SECRET, AT + FIVE_MINUTES + SECOND, False),
        ({}, BODY, SECRET, AT - FIVE_MINUTES - SECOND, False),
    ],
)
def test_a_changed_body_id_moment_or_secret_and_five_minutes_break_a_signature(
    headers: dict[str, str], body: bytes, secret: str, at: datetime, is_genuine: bool
) -> None:
    signed = signing.headers("m-1", AT, BODY, [SECRET])

    assert signing.verify(signed | headers, body, secret, at) is is_genuine
