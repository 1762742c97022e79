"""What is signed, letter by letter; what breaks a signature; and a nonce works once, also for two at one moment."""

from datetime import UTC, datetime, timedelta

import pytest
from django.db import OperationalError

from foundation import clock
from foundation.db.resilience import SqlAway
from foundation.models import ServiceKey, UsedNonce
from foundation.security import key_restrictions, nonces, signatures
from foundation.security.nonces import Replayed
from foundation.security.signatures import SignatureExpired, SignatureMissing, SignatureWrong, Signed
from foundation.tasks import retain_signatures
from tests.at_once import at_once
from tests.foundation.factories import KeyFactory

AT = datetime(2026, 11, 21, 12, 30, 1, tzinfo=UTC)
FIVE_MINUTES = timedelta(minutes=5)
SECOND = timedelta(seconds=1)
SECRET = "sunwisig_" + "07" * 32
NONCE = "0123456789abcdef"
SENT = Signed("POST", "/api/v1/scores?dry_run=true", b'{"entries": []}')
HEADERS = signatures.headers_of(SENT, NONCE, AT, SECRET)


def check(headers: dict[str, str], sent: Signed = SENT, at: datetime = AT, *secrets: str) -> None:
    signatures.verify(signatures.read(headers, at, FIVE_MINUTES), sent, secrets or [SECRET])


def test_the_signature_is_the_one_that_openssl_makes_of_the_documented_text() -> None:
    """``printf '%s\\n%s\\n…' | openssl dgst -sha256 -hmac``, run by hand over the six lines of docs/api.md."""
    assert HEADERS == {
        "Sunwi-Timestamp": "1795264201",
        "Sunwi-Nonce": "0123456789abcdef",
        "Sunwi-Signature": "v1=b4cb2cfba75e45b4ad2750ca68fba733e40489585fa0409370bd25b57810d1f7",
    }


def test_a_signature_fits_its_own_request_with_one_of_the_secrets() -> None:
    check(HEADERS)
    check(HEADERS, SENT, AT, signatures.new_secret(), SECRET)
    check(HEADERS, SENT, AT + FIVE_MINUTES)
    check(HEADERS, SENT, AT - FIVE_MINUTES)


@pytest.mark.parametrize(
    "sent",
    [
        Signed("PUT", SENT.address, SENT.body),
        Signed("POST", "/api/v1/scores", SENT.body),
        Signed("POST", "/api/v1/scores?dry_run=false", SENT.body),
        Signed("POST", SENT.address, SENT.body + b" "),
        Signed("POST", SENT.address, b""),
        Signed("POST\n/api", "/v1/scores?dry_run=true", SENT.body),
    ],
)
def test_another_method_address_or_body_breaks_it(sent: Signed) -> None:
    with pytest.raises(SignatureWrong, match="does not fit"):
        check(HEADERS, sent)


def test_another_secret_nonce_or_time_breaks_it() -> None:
    with pytest.raises(SignatureWrong):
        check(HEADERS, SENT, AT, signatures.new_secret())
    for changed in ({"Sunwi-Nonce": NONCE[::-1]}, {"Sunwi-Timestamp": "1795264202"}):
        with pytest.raises(SignatureWrong):
            check(HEADERS | changed)


@pytest.mark.parametrize(
    ("at", "said"), [(AT + FIVE_MINUTES + SECOND, "behind"), (AT - FIVE_MINUTES - SECOND, "ahead")]
)
def test_a_signature_of_more_than_five_minutes_ago_or_ahead_has_expired(at: datetime, said: str) -> None:
    with pytest.raises(SignatureExpired, match=f"301 s {said}"):
        check(HEADERS, SENT, at)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        *(({name: ""}, f"send {name}") for name in signatures.HEADERS),
        ({"Sunwi-Timestamp": "2026-11-21T12:30:01Z"}, "whole seconds"),
        ({"Sunwi-Timestamp": "1795264201.0"}, "whole seconds"),
        ({"Sunwi-Timestamp": "01795264201"}, "whole seconds"),
        ({"Sunwi-Timestamp": "-1795264201"}, "whole seconds"),
        ({"Sunwi-Timestamp": "١٧٩٥٢٦٤٢٠١"}, "whole seconds"),
        ({"Sunwi-Timestamp": "9" * 5000}, "whole seconds"),
        ({"Sunwi-Nonce": "short"}, "16 to 64"),
        ({"Sunwi-Nonce": "x" * 65}, "16 to 64"),
        ({"Sunwi-Nonce": NONCE + "\n"}, "16 to 64"),
        ({"Sunwi-Signature": HEADERS["Sunwi-Signature"][3:]}, "v1="),
        ({"Sunwi-Signature": HEADERS["Sunwi-Signature"].upper()}, "v1="),
        ({"Sunwi-Signature": HEADERS["Sunwi-Signature"] + "," + HEADERS["Sunwi-Signature"]}, "v1="),
    ],
)
def test_a_header_that_is_missing_or_malformed_is_named(changed: dict[str, str], said: str) -> None:
    with pytest.raises(SignatureMissing, match=said):
        check(HEADERS | changed)


def test_an_address_is_signed_in_one_spelling_whatever_was_sent() -> None:
    assert signatures.address_of("/api/v1/players/a b~é?&", "x=%20a+b") == "/api/v1/players/a%20b~%C3%A9%3F%26?x=%20a+b"
    assert signatures.address_of("/api/v1/scores", "") == "/api/v1/scores"


@pytest.fixture
def key(db: None) -> ServiceKey:
    KeyFactory.create()
    return ServiceKey.objects.get()


def test_a_nonce_works_once_for_its_key_and_is_kept_while_any_tolerance_would_take_it(key: ServiceKey) -> None:
    KeyFactory.create()
    other = ServiceKey.objects.exclude(pk=key.pk).get()
    signed_at = int(AT.timestamp())
    nonces.use(key, NONCE, signed_at)

    nonces.use(other, NONCE, signed_at)
    kept = nonces.forget_old(AT + timedelta(seconds=900))
    with pytest.raises(Replayed):
        nonces.use(key, NONCE, signed_at + 1)
    gone = nonces.forget_old(AT + timedelta(seconds=961))

    assert (kept, gone) == (0, 2)
    assert not UsedNonce.objects.exists()


def test_old_nonces_go_in_parts_and_new_ones_stay(key: ServiceKey, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nonces, "BATCH", 2)
    for nth in range(5):
        nonces.use(key, f"{nth:016}", int(AT.timestamp()))
    nonces.use(key, NONCE, int((AT + FIVE_MINUTES).timestamp()))

    assert nonces.forget_old(AT + nonces.KEEP_FOR) == 5
    assert [each.nonce for each in UsedNonce.objects.all()] == [NONCE]


@pytest.mark.django_db(transaction=True)
def test_of_eight_at_one_moment_one_uses_the_nonce() -> None:
    KeyFactory.create()
    key = ServiceKey.objects.get()

    def use() -> bool:
        try:
            nonces.use(key, NONCE, int(AT.timestamp()))
        except Replayed:
            return False
        return True

    assert sorted(at_once([use] * 8)) == [False] * 7 + [True]


@pytest.mark.django_db(transaction=True)
def test_without_sql_no_nonce_is_taken_for_new(monkeypatch: pytest.MonkeyPatch) -> None:
    def away(*_: object) -> bool:
        raise OperationalError("gone")

    KeyFactory.create()
    key = ServiceKey.objects.get()
    monkeypatch.setattr(nonces, "_insert", away)
    monkeypatch.setattr("foundation.db.resilience._Breaker.silent_until", 0.0)

    with pytest.raises(SqlAway):
        nonces.use(key, NONCE, int(AT.timestamp()))


def test_for_a_day_after_a_rotation_both_secrets_sign_then_the_first_is_deleted(key: ServiceKey) -> None:
    at = clock.now()
    first = key_restrictions.require_signatures(key)
    second = key_restrictions.rotate(key, at)

    stored = ServiceKey.objects.get()
    within, after = at + timedelta(hours=23), at + timedelta(hours=24)
    assert stored.signing_secrets(within) == [second, first]
    assert stored.signing_secrets(after) == [second]
    assert key_restrictions.forget_previous(within) == 0
    assert key_restrictions.forget_previous(after) == 1
    stored.refresh_from_db()
    assert (stored.previous_signing_secret, stored.previous_signing_until) == ("", None)


def test_a_key_that_demands_no_signatures_has_nothing_to_rotate(key: ServiceKey) -> None:
    with pytest.raises(key_restrictions.NotSigned, match="make a key that does"):
        key_restrictions.rotate(key, AT)

    assert not ServiceKey.objects.get().is_signed


def test_the_schedules_task_lets_go_both(key: ServiceKey) -> None:
    key_restrictions.require_signatures(key)
    key_restrictions.rotate(key, clock.now() - timedelta(days=2))
    nonces.use(key, NONCE, int((clock.now() - timedelta(hours=1)).timestamp()))

    assert retain_signatures() == [1, 1]
    assert ServiceKey.objects.count() == 1
