"""Likes that SQL refuses, in the admin: why, tried again, given up."""

from collections.abc import Mapping
from dataclasses import replace

import pytest
from django.db import IntegrityError
from django.test import Client

from foundation import clock
from foundation.models import DeadLetter
from likes import registry
from likes.core.kinds import Storage
from likes.models import LikeCount
from likes.registry import Likeable
from likes.stores.base import Store
from tests.contracts.likes.kinds import NOW, settled
from tests.leaderboards.admin.typed import page
from tests.leaderboards.views.pages import text

pytestmark = pytest.mark.django_db(transaction=True)

LETTERS = "/admin/foundation/deadletter/"
KINDS = {
    Storage.HYBRID: ("likes", "the count is made anew of the likes that SQL has"),
    Storage.REDIS: ("likes-mirror", "SQL keeps what it has of this like"),
}


def refuse(_totals: Mapping[str, int]) -> None:
    raise IntegrityError("no room for totals")


@pytest.fixture
def liked(kind: Likeable, store: Store) -> Likeable:
    """A kind whose registrant has no room for any total; ann likes a thing of it."""
    refusing = replace(kind, counted=refuse)
    registry.provide(refusing)
    store.like("1", "ann", NOW)
    settled(refusing)
    return kind


def act(client: Client, action: str) -> str:
    chosen = {"action": action, "_selected_action": [letter.pk for letter in DeadLetter.objects.all()]}
    return text(client.post(LETTERS, chosen, follow=True))


@pytest.mark.parametrize("storage", KINDS, ids=str)
def test_it_says_why_and_is_retried_until_the_cause_is_gone(admin_client: Client, liked: Likeable) -> None:
    letter = DeadLetter.objects.get()

    html = page(admin_client, f"{LETTERS}{letter.pk}/change/")
    refused = act(admin_client, "retry")
    registry.provide(liked)
    done = act(admin_client, "retry")

    kind, dropping = KINDS[liked.storage]
    assert letter.kind == kind
    assert "no room for totals" in html
    assert dropping in html
    assert "/edit/" not in html
    assert "refused again: no room for totals" in refused
    assert f"{letter.subject}: done." in done
    assert LikeCount.objects.get().count == 1


def test_where_nobody_registers_the_kind_a_retry_says_so(admin_client: Client, links: None) -> None:
    payload = {"kind": "note", "thing": "1", "player": "ann", "version": 1, "amount": 1}
    DeadLetter.note("likes-mirror", "note 1 ann", payload, "old", clock.now())

    told = act(admin_client, "retry")

    assert "Nothing of this kind can be liked." in told
    assert DeadLetter.objects.get().tries == 1
