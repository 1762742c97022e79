"""Secrets in SQL are unreadable without the key, unchangeable unnoticed, and move to a new key by a command."""

from importlib import import_module
from typing import Any

import pytest
from django.apps import apps
from django.conf import LazySettings
from django.db import connection

from foundation import clock
from foundation.models import ServiceKey, WebhookEndpoint
from foundation.security import key_restrictions, sealed_rows, sealing
from foundation.security.sealing import SIGNING, WEBHOOK, Unsealable
from foundation.webhooks import endpoints
from tests.foundation.factories import KeyFactory, WebhookEndpointFactory

OLD, NEW = "the-old-key-of-this-site-and-long", "the-new-key-of-this-site-and-long"
SECRET = "whsec_" + "c2VjcmV0" * 5


@pytest.mark.parametrize("text", ["", "x", SECRET, "비밀" * 500])
def test_what_was_sealed_is_opened_and_each_sealing_is_another(text: str) -> None:
    one, other = sealing.seal(text, WEBHOOK), sealing.seal(text, WEBHOOK)

    assert sealing.unseal(one, WEBHOOK) == sealing.unseal(other, WEBHOOK) == text
    assert one != other
    assert len(text) < 8 or text not in one  # a single letter stands in any


def test_another_key_another_purpose_and_every_changed_letter_open_nothing(settings: LazySettings) -> None:
    settings.ENCRYPTION_KEYS = [OLD]
    sealed = sealing.seal(SECRET, WEBHOOK)
    last = len(sealed.rstrip("="))
    changed = [sealed[:nth] + ("B" if sealed[nth] != "B" else "C") + sealed[nth + 1 :] for nth in range(last - 1)]

    for wrong in (*changed, sealed[:-8], sealed + "AAAA", SECRET, "", "f1.", "f1.?", sealed[4:]):
        with pytest.raises(Unsealable):
            sealing.unseal(wrong, WEBHOOK)
    with pytest.raises(Unsealable):
        sealing.unseal(sealed, SIGNING)
    settings.ENCRYPTION_KEYS = [NEW]
    with pytest.raises(Unsealable, match="ENCRYPTION_KEYS"):
        sealing.unseal(sealed, WEBHOOK)


def test_the_form_stays_what_is_stored_already(settings: LazySettings) -> None:
    settings.ENCRYPTION_KEYS = [OLD]
    stored = (
        "f1.gAAAAABqsTuAAAECAwQFBgcICQoLDA0ODzZJzpuKZOL2KjjH2iWxJzNKO7gk2ciujVPSD-eSCsbD"
        "ZAOLYlCp3-prKwrS590fTj9fCvTuk1Jbg83RZqE3SiCyZw_h4UJrLgHMzHUxUnVc"
    )

    assert sealing.unseal(stored, WEBHOOK) == SECRET


@pytest.mark.django_db
def test_no_secret_lies_readable_in_any_column() -> None:
    endpoint = WebhookEndpointFactory.create()
    endpoints.rotate(endpoint, clock.now())
    KeyFactory.create()
    key = ServiceKey.objects.get()
    secret = key_restrictions.require_signatures(key)
    key_restrictions.rotate(key, clock.now())

    stored = [
        value for model in (WebhookEndpoint, ServiceKey) for row in model.objects.values() for value in row.values()
    ]

    opened = [
        *WebhookEndpoint.objects.get().secrets(clock.now()),
        *ServiceKey.objects.get().signing_secrets(clock.now()),
    ]
    assert len(set(opened)) == 4
    assert secret in opened
    assert not [each for each in opened if any(each in str(value) for value in stored)]


@pytest.mark.django_db
def test_with_a_new_first_key_all_opens_and_the_old_key_can_go_once_all_was_sealed_anew(
    settings: LazySettings,
) -> None:
    settings.ENCRYPTION_KEYS = [OLD]
    endpoint = WebhookEndpointFactory.create()
    endpoints.rotate(endpoint, clock.now())
    KeyFactory.create()
    secrets = [key_restrictions.require_signatures(ServiceKey.objects.get()), *_opened(endpoint)]
    settings.ENCRYPTION_KEYS = [NEW, OLD]

    looked = sealed_rows.count_secrets()
    done = sealed_rows.reseal()
    again = sealed_rows.reseal()
    settings.ENCRYPTION_KEYS = [NEW]

    assert looked == done == sealed_rows.SecretCounts(older=3)
    assert again == sealed_rows.SecretCounts(current=3)
    assert [ServiceKey.objects.get().signing_secrets(clock.now())[0], *_opened(endpoint)] == secrets


@pytest.mark.django_db
def test_what_no_key_opens_is_named_stays_as_it_is_and_holds_up_no_other(settings: LazySettings) -> None:
    settings.ENCRYPTION_KEYS = [OLD]
    lost = WebhookEndpointFactory.create(name="lost")
    settings.ENCRYPTION_KEYS = [NEW]
    kept = WebhookEndpointFactory.create(name="of today")
    settings.ENCRYPTION_KEYS = [SECRET, NEW]

    found = sealed_rows.reseal()

    assert found == sealed_rows.SecretCounts(older=1, unreadable=("webhook endpoint lost",))
    assert WebhookEndpoint.objects.get(name="lost").secret == lost.secret
    assert sealing.is_current(WebhookEndpoint.objects.get(pk=kept.pk).secret, WEBHOOK)
    [sentence] = sealed_rows.health_problems()
    assert "can not be opened: 1 (webhook endpoint lost)" in sentence


@pytest.mark.django_db
def test_a_rotation_while_all_is_sealed_anew_is_not_undone(settings: LazySettings) -> None:
    settings.ENCRYPTION_KEYS = [OLD]
    stale = WebhookEndpointFactory.create()
    settings.ENCRYPTION_KEYS = [NEW, OLD]
    secret = endpoints.rotate(WebhookEndpoint.objects.get(), clock.now())

    sealed_rows._reseal_row(stale)

    assert _opened(stale)[0] == secret


@pytest.mark.django_db
def test_the_migration_encrypts_what_was_stored_once_and_writes_it_out_again_backwards() -> None:
    migration: Any = import_module("foundation.migrations.0008_sealed_secrets")
    plain, rotated = WebhookEndpointFactory.create(), WebhookEndpointFactory.create()
    WebhookEndpoint.objects.filter(pk=plain.pk).update(secret=SECRET)
    WebhookEndpoint.objects.filter(pk=rotated.pk).update(secret=SECRET, previous_secret=SECRET)

    migration.encrypt(apps, connection)
    migration.encrypt(apps, connection)
    stored = list(WebhookEndpoint.objects.order_by("pk").values_list("secret", "previous_secret"))
    migration.decrypt(apps, connection)

    assert [[bool(each) and sealing.unseal(each, WEBHOOK) for each in row] for row in stored] == [
        [SECRET, False],
        [SECRET, SECRET],
    ]
    assert list(WebhookEndpoint.objects.order_by("pk").values_list("secret", "previous_secret")) == [
        (SECRET, ""),
        (SECRET, SECRET),
    ]


def _opened(endpoint: WebhookEndpoint) -> list[str]:
    return WebhookEndpoint.objects.get(pk=endpoint.pk).secrets(clock.now())
