"""Signatures: the specification's own example, and everything that must break one."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from foundation.webhooks import signing

AT = datetime(2026, 11, 21, 12, tzinfo=UTC)
BODY = b'{"type":"test"}'


def test_the_example_of_the_libraries_of_standard_webhooks_is_signed_as_there() -> None:
    at = datetime.fromtimestamp(1614265330, UTC)

    headers = signing.headers(
        "msg_p5jXN8AQM9LWM0D4loKWxJek", at, b'{"test": 2432232314}', ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"]
    )

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
def test_what_was_signed_is_verified(body: bytes, message_id: str) -> None:
    secret = signing.new_secret()

    assert signing.verify(signing.headers(message_id, AT, body, [secret]), body, secret, AT)


def test_a_changed_body_id_moment_or_secret_is_not() -> None:
    secret = signing.new_secret()
    headers = signing.headers("m-1", AT, BODY, [secret])

    assert not signing.verify(headers, BODY + b" ", secret, AT)
    assert not signing.verify(headers | {"webhook-id": "m-2"}, BODY, secret, AT)
    assert not signing.verify(headers | {"webhook-timestamp": str(int(AT.timestamp()) + 1)}, BODY, secret, AT)
    assert not signing.verify(headers, BODY, signing.new_secret(), AT)
    assert not signing.verify(headers | {"webhook-signature": "v1,ключ"}, BODY, secret, AT)


def test_a_message_older_or_younger_than_five_minutes_is_not() -> None:
    secret = signing.new_secret()
    headers = signing.headers("m-1", AT, BODY, [secret])

    assert signing.verify(headers, BODY, secret, AT + timedelta(minutes=5))
    assert not signing.verify(headers, BODY, secret, AT + timedelta(minutes=5, seconds=1))
    assert not signing.verify(headers, BODY, secret, AT - timedelta(minutes=5, seconds=1))
    assert not signing.verify(headers | {"webhook-timestamp": "-1"}, BODY, secret, AT)


def test_either_secret_of_a_rotation_verifies() -> None:
    old, new = signing.new_secret(), signing.new_secret()

    headers = signing.headers("m-1", AT, BODY, [new, old])

    assert signing.verify(headers, BODY, old, AT)
    assert signing.verify(headers, BODY, new, AT)
