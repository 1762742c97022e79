"""Keys of game servers: made once, found by their prefix, ended at once."""

from collections.abc import Iterator
from datetime import timedelta

import pytest
import time_machine
from django.db import IntegrityError, transaction

from foundation import clock, service_keys
from foundation.errors import Forbidden, Invalid, Unauthenticated
from foundation.limits import Limit
from foundation.models import ServiceKey

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _nothing_remembered() -> Iterator[None]:
    service_keys._remembered.forget()
    yield
    service_keys._remembered.forget()


def test_a_made_key_is_known_by_its_text() -> None:
    key, text = service_keys.make("game", ["scores:write"])

    assert service_keys.authenticate(f"Bearer {text}") == key
    assert service_keys.authenticate(f"bearer  {text} ") == key


def test_the_secret_is_stored_nowhere() -> None:
    key, text = service_keys.make("game", ["scores:write"])
    secret = text.rpartition("_")[2]

    row = ServiceKey.objects.filter(pk=key.pk).values().get()

    assert len(secret) >= 40  # 160 bits
    assert not any(secret in str(value) for value in row.values())


@pytest.mark.parametrize(
    "header",
    [
        *(None, "", "Bearer", "Bearer ", "Basic {key}", "{key}", "Bearer sunwi_", "Bearer sunwi__", "Bearer a_b_c"),
        *("Bearer {key}x", "Bearer x{key}", "Bearer {key} {key}", "Bearer {key}_", "Bearer sunwi_\0_x", "Bearer ключ"),
    ],
)
def test_anything_else_is_not_known(header: str | None) -> None:
    _, text = service_keys.make("game", ["scores:write"])

    with pytest.raises(Unauthenticated):
        service_keys.authenticate(header and header.format(key=text))


def test_another_secret_with_a_known_prefix_is_not_known() -> None:
    (_, one), (_, other) = (service_keys.make("game", ["scores:write"]) for _ in range(2))
    mixed = "_".join([*one.split("_")[:2], other.split("_")[2]])

    with pytest.raises(Unauthenticated):
        service_keys.authenticate(f"Bearer {mixed}")


def test_a_revoked_key_ends_at_once_in_the_process_that_revokes_it() -> None:
    key, text = service_keys.make("game", ["scores:write"])
    service_keys.authenticate(f"Bearer {text}")

    service_keys.revoke(key, clock.now())

    with pytest.raises(Unauthenticated):
        service_keys.authenticate(f"Bearer {text}")


def test_a_revoked_key_ends_within_five_seconds_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    _, text = service_keys.make("game", ["scores:write"])
    service_keys.authenticate(f"Bearer {text}")

    ServiceKey.objects.update(revoked_at=clock.now())  # as another process does
    later = clock.monotonic() + 5
    monkeypatch.setattr(clock, "monotonic", lambda: later)

    with pytest.raises(Unauthenticated):
        service_keys.authenticate(f"Bearer {text}")


def test_an_expired_key_opens_nothing() -> None:
    _, text = service_keys.make("game", ["scores:write"], expires_at=clock.now() + timedelta(hours=1))
    service_keys.authenticate(f"Bearer {text}")

    with time_machine.travel(clock.now() + timedelta(hours=1), tick=False), pytest.raises(Unauthenticated):
        service_keys.authenticate(f"Bearer {text}")


def test_a_scope_is_had_or_not() -> None:
    key, _ = service_keys.make("game", ["scores:write"])

    service_keys.require(key, "scores:write")
    with pytest.raises(Forbidden, match="boards:read"):
        service_keys.require(key, "boards:read")


def test_a_key_may_be_limited_to_boards() -> None:
    limited, _ = service_keys.make("game", ["scores:write"], boards=[2, 1, 2])
    free, _ = service_keys.make("game", ["scores:write"])

    assert (limited.boards, limited.allows_board(1), limited.allows_board(3)) == ([1, 2], True, False)
    assert free.allows_board(3)


@pytest.mark.parametrize(
    ("name", "scopes"), [("", ["scores:write"]), ("x" * 101, ["scores:write"]), ("game", []), ("game", ["all"])]
)
def test_a_key_without_a_name_or_a_known_scope_is_not_made(name: str, scopes: list[str]) -> None:
    with pytest.raises(Invalid):
        service_keys.make(name, scopes)

    assert not ServiceKey.objects.exists()


def test_the_last_use_is_kept_to_the_minute() -> None:
    key, text = service_keys.make("game", ["scores:write"])
    service_keys.authenticate(f"Bearer {text}")
    first = ServiceKey.objects.get(pk=key.pk).last_used_at

    service_keys.authenticate(f"Bearer {text}")
    soon = ServiceKey.objects.get(pk=key.pk).last_used_at
    with time_machine.travel(clock.now() + timedelta(minutes=2)):
        service_keys.authenticate(f"Bearer {text}")
    later = ServiceKey.objects.get(pk=key.pk).last_used_at

    assert first is not None
    assert later is not None
    assert soon == first
    assert later - first > timedelta(minutes=1)


def test_a_limit_is_whole_or_none() -> None:
    key, _ = service_keys.make("game", ["scores:write"], limit=Limit(100, 10))

    for half in ({"requests": None}, {"seconds": None}, {"requests": 0}, {"seconds": 86_401}):
        with pytest.raises(IntegrityError), transaction.atomic():
            ServiceKey.objects.filter(pk=key.pk).update(**half)

    assert ServiceKey.objects.get(pk=key.pk).limit == Limit(100, 10)
