"""Messages are encrypted as RFC 8291 says, and signed as RFC 8292 says: the first RFC's own example comes out."""

import base64
import json
from datetime import UTC, datetime

import pytest
from cryptography.hazmat.primitives.asymmetric.ec import ECDSA
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from cryptography.hazmat.primitives.hashes import SHA256

from foundation.push.encryption import MOST_BYTES, encrypt, read_public
from foundation.push.keys import authorization, decode, new_key, public_key, read_key

# RFC 8291, appendix A
BROWSER = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
SECRET = "BTBZMqHH6r4Tts7J_aSIgg"
KEY = "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"
SALT = "DGv6ra1nlYgDCS1FRnbzlw"
SENT = (
    "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_"
    "yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"
)


def test_the_example_of_the_rfc_comes_out() -> None:
    message = b"When I grow up, I want to be a watermelon"

    sent = encrypt(message, decode(BROWSER), decode(SECRET), read_key(KEY), decode(SALT))

    assert sent == decode(SENT)


def test_no_two_messages_share_a_key_or_a_salt() -> None:
    first, second = (encrypt(b"same", decode(BROWSER), decode(SECRET)) for _ in range(2))

    assert first[:16] != second[:16]
    assert first[21:86] != second[21:86]


@pytest.mark.parametrize(
    ("message", "browser", "secret"),
    [
        (b"x" * (MOST_BYTES + 1), decode(BROWSER), decode(SECRET)),
        (b"x", decode(BROWSER)[:-1], decode(SECRET)),
        (b"x", b"\x04" + bytes(64), decode(SECRET)),
        (b"x", decode(BROWSER), b"short"),
    ],
)
def test_what_cannot_be_sent_is_refused(message: bytes, browser: bytes, secret: bytes) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        encrypt(message, browser, secret)


def test_the_header_is_signed_by_the_key_for_that_service_alone() -> None:
    key, at = new_key(), datetime(2026, 11, 20, 12, tzinfo=UTC)

    header = authorization(key, "https://push.example/send/secret", "https://boards.example", at)

    token, named = header.removeprefix("vapid t=").split(", k=")
    head, claims, signature = token.split(".")
    halves = decode(signature)
    numbers = (int.from_bytes(halves[:32], "big"), int.from_bytes(halves[32:], "big"))
    read_public(decode(named)).verify(encode_dss_signature(*numbers), f"{head}.{claims}".encode(), ECDSA(SHA256()))
    assert named == public_key(key)
    assert json.loads(base64.urlsafe_b64decode(claims + "==")) == {
        "aud": "https://push.example",
        "exp": int(at.timestamp()) + 12 * 3600,
        "sub": "https://boards.example",
    }


@pytest.mark.parametrize("text", ["", "no key", "가", "AAAA", "A" * 43])
def test_what_is_no_key_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        read_key(text)
