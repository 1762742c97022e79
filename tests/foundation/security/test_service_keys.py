"""Keys of game servers: made once, found by their prefix, ended at once."""

from contextlib import suppress
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.db import IntegrityError, transaction

from foundation import clock
from foundation.errors import Forbidden, Invalid, Unauthenticated
from foundation.models import ServiceKey
from foundation.security import service_keys
from foundation.throttling.limits import Limit
from tests.foundation.factories import KeyFactory

pytestmark = pytest.mark.django_db

SCORES = ["scores:write"]
STRANGE = (
    *(None, "", "Bearer", "Bearer ", "Basic {key}", "{key}", "Bearer sunwi_", "Bearer sunwi__", "Bearer a_b_c"),
    *("Bearer {key}x", "Bearer x{key}", "Bearer {key} {key}", "Bearer {key}_", "Bearer sunwi_\0_x", "Bearer ключ"),
    "Bearer {prefix}_{secret_of_another}",
)


@pytest.fixture(autouse=True)
def _nothing_remembered() -> None:
    service_keys._cache.forget()


def known(text: str) -> bool:
    with suppress(Unauthenticated):
        return service_keys.authenticate(f"Bearer {text}") is not None
    return False


def test_a_made_key_is_known_by_its_text_and_its_secret_is_stored_nowhere() -> None:
    key, text = service_keys.make("game", SCORES)
    secret = text.rpartition("_")[2]

    row = ServiceKey.objects.filter(pk=key.pk).values().get()

    assert service_keys.authenticate(f"Bearer {text}") == key
    assert service_keys.authenticate(f"bearer  {text} ") == key
    assert len(secret) >= 40  # 160 bits
    assert not any(secret in str(value) for value in row.values())


@pytest.mark.parametrize("name", ["baseline", " import ", "quarantine", "jury", "series"])
def test_a_name_by_which_the_site_calls_a_source_of_its_own_is_refused(name: str) -> None:
    with pytest.raises(Invalid, match="Choose another name"):
        service_keys.make(name, SCORES)


def test_anything_else_is_not_known() -> None:
    text, other = KeyFactory.create(), KeyFactory.create()
    parts = {"key": text, "prefix": text.rpartition("_")[0], "secret_of_another": other.rpartition("_")[2]}

    for header in STRANGE:
        with pytest.raises(Unauthenticated):
            service_keys.authenticate(header and header.format(**parts))


def test_a_revoked_key_ends_at_once_here_and_within_five_seconds_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    (one, one_text), (other, other_text) = (service_keys.make("game", SCORES) for _ in range(2))
    before = known(one_text), known(other_text)

    service_keys.revoke(one, clock.now())
    ServiceKey.objects.filter(pk=other.pk).update(revoked_at=clock.now())  # as another process does
    at_once = known(one_text)
    later = clock.monotonic() + 5
    monkeypatch.setattr(clock, "monotonic", lambda: later)

    assert (before, at_once, known(other_text)) == ((True, True), False, False)


def test_an_expired_key_opens_nothing_and_the_last_use_is_kept_to_the_minute() -> None:
    text = KeyFactory.create(expires_at=clock.now() + timedelta(hours=1))
    used: list[Any] = []
    for minutes, opens in ((0, True), (0, True), (2, True), (60, False)):
        with time_machine.travel(clock.now() + timedelta(minutes=minutes)):
            assert known(text) is opens
        used.append(ServiceKey.objects.get().last_used_at)

    assert used[1] == used[0]
    assert used[2] - used[0] > timedelta(minutes=1)


def test_a_key_opens_the_scopes_and_boards_that_it_was_made_for() -> None:
    limited, _ = service_keys.make("game", SCORES, boards=[2, 1, 2])
    free, _ = service_keys.make("game", SCORES)

    service_keys.require(free, "scores:write")
    with pytest.raises(Forbidden, match="boards:read"):
        service_keys.require(free, "boards:read")
    assert (limited.boards, limited.allows_board(1), limited.allows_board(3)) == ([1, 2], True, False)
    assert free.allows_board(3)


def test_a_key_without_a_name_or_a_known_scope_is_not_made() -> None:
    for name, scopes in (("", SCORES), ("x" * 101, SCORES), ("game", []), ("game", ["all"])):
        with pytest.raises(Invalid):
            service_keys.make(name, scopes)

    assert not ServiceKey.objects.exists()


def test_a_limit_is_whole_or_none() -> None:
    key, _ = service_keys.make("game", SCORES, limit=Limit(100, 10))

    for half in ({"requests": None}, {"seconds": None}, {"requests": 0}, {"seconds": 86_401}):
        with pytest.raises(IntegrityError), transaction.atomic():
            ServiceKey.objects.filter(pk=key.pk).update(**half)

    assert ServiceKey.objects.get(pk=key.pk).limit == Limit(100, 10)
