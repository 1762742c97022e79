"""Likes that SQL refuses, in the admin: why, tried again, given up."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

import pytest
from django.db import IntegrityError
from django.test import Client

from foundation import clock
from foundation.models import DeadLetter
from leaderboards.stores.sql_writes import ensure_players
from likes import registry
from likes.core.kinds import Storage
from likes.models import Like, LikeCount
from likes.registry import Likeable
from likes.stores.choose import store_of
from tests.contracts.likes.kinds import NOW, registered, settled
from tests.leaderboards.admin.typed import page
from tests.leaderboards.views.pages import text
from tests.links import links, redis_known

__all__ = ["links", "redis_known"]
pytestmark = pytest.mark.django_db(transaction=True)

LETTERS = "/admin/foundation/deadletter/"
CASES = {
    (Storage.HYBRID, 10): ("likes", "the count is made anew of the likes that SQL has"),
    (Storage.REDIS, 10): ("likes-mirror", "SQL keeps what it has of this like"),
}


@pytest.fixture(params=CASES, ids=lambda form: form[0].value)
def liked(request: pytest.FixtureRequest, redis_known: None) -> Iterator[Likeable]:
    """A kind whose registrant has no room for any total; ann likes a thing of it."""
    with registered(request.param) as kind:
        ensure_players(["ann"], NOW)
        registry.provide(replace(kind, counted=refuse))
        store_of(kind).like("1", "ann", NOW)
        settled(registry.likeable(kind.kind))
        yield kind


def refuse(_totals: Mapping[str, int]) -> None:
    raise IntegrityError("no room for totals")


def act(client: Client, action: str) -> str:
    chosen = {"action": action, "_selected_action": [letter.pk for letter in DeadLetter.objects.all()]}
    return text(client.post(LETTERS, chosen, follow=True))


def test_it_says_why_and_what_dropping_it_does(admin_client: Client, liked: Likeable) -> None:
    letter = DeadLetter.objects.get()

    html = page(admin_client, f"{LETTERS}{letter.pk}/change/")

    kind, dropping = CASES[liked.storage, liked.rate]
    assert letter.kind == kind
    assert "no room for totals" in html
    assert dropping in html
    assert "/edit/" not in html


def test_it_is_retried_until_the_cause_is_gone(admin_client: Client, liked: Likeable) -> None:
    refused = act(admin_client, "retry")
    registry.provide(liked)

    done = act(admin_client, "retry")

    assert "refused again: no room for totals" in refused
    assert f"{DeadLetter.objects.get().subject}: done." in done
    assert LikeCount.objects.get().count == 1


def test_it_is_dropped_and_the_like_stays(admin_client: Client, liked: Likeable) -> None:
    dropped = act(admin_client, "drop")
    settled(replace(liked, counted=refuse))

    letter = DeadLetter.objects.get()
    assert f"{letter.subject}: dropped." in dropped
    assert letter.resolution == "dropped"
    assert store_of(liked).read(["1"], "ann")[0].count == 1
    assert Like.objects.filter(amount=1).count() == (1 if liked.storage == Storage.HYBRID else 0)


def test_where_nobody_registers_the_kind_a_retry_says_so(admin_client: Client, links: None) -> None:
    payload = {"kind": "note", "thing": "1", "player": "ann", "version": 1, "amount": 1}
    DeadLetter.note("likes-mirror", "note 1 ann", payload, "old", clock.now())

    told = act(admin_client, "retry")

    assert "Nothing of this kind can be liked." in told
    assert DeadLetter.objects.get().tries == 1
