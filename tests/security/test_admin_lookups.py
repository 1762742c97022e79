"""A viewer asks the admin's lists for what no page shows: letter by letter, by the address alone."""

from collections.abc import Iterator

import pytest
from django.contrib import admin
from django.contrib.auth.models import Permission, User
from django.core.checks import run_checks
from django.db.models import Model
from django.test import Client, RequestFactory

from foundation.generics import ModelAdmin
from leaderboards.admin.base.lookups import DeclaredLookupsAdmin, check_lookups_are_declared, lookups_of_filter
from tests.foundation.factories import KeyFactory, WebhookEndpointFactory
from tests.staff import staff

pytestmark = pytest.mark.django_db

PROBES = ("", "__exact", "__regex", "__startswith", "__contains", "__gt", "__lte", "__in", "__range", "__length__gt")
DEEPEST = 3
admin.autodiscover()
ADMINS = sorted(admin.site._registry.items(), key=lambda each: each[0]._meta.label)


@pytest.fixture
def viewer() -> Client:
    """Staff who may look at everything, and change nothing."""
    return staff(*Permission.objects.filter(codename__startswith="view_"))


def paths(model: type[Model], deep: int = DEEPEST) -> Iterator[str]:
    """Every field that is reached from ``model``, relations followed both ways."""
    for field in model._meta.get_fields():
        yield field.name  # of a relation back, what a query calls it
        target = field.related_model
        if deep > 1 and isinstance(target, type):
            yield from (f"{field.name}__{further}" for further in paths(target, deep - 1))


@pytest.mark.parametrize(
    ("address", "row"),
    [
        ("/admin/foundation/webhookendpoint/?secret__regex=^whsec_", "endpoint"),
        ("/admin/foundation/webhookendpoint/?previous_secret__isnull=1", "endpoint"),
        ("/admin/foundation/webhookdelivery/?endpoint__secret__startswith=w", "endpoint"),
        ("/admin/foundation/servicekey/?secret_hash__startswith=a", "key"),
        ("/admin/foundation/servicekey/?signing_secret__startswith=f1", "key"),
        ("/admin/foundation/servicekey/?previous_signing_secret__regex=^h", "key"),
        ("/admin/auth/user/?last_login__gte=2020-01-01", "user"),
        ("/admin/auth/user/?user__password__startswith=m", "user"),
        ("/admin/auth/user/?password__startswith=m", "user"),
        ("/admin/competitions/competition/?join_code__startswith=a", "competition"),
    ],
)
def test_a_secret_is_not_told_letter_by_letter(viewer: Client, address: str, row: str) -> None:
    WebhookEndpointFactory.create()
    KeyFactory.create()

    answer = viewer.get(address)

    assert answer.status_code == 400, row


@pytest.mark.parametrize(("model", "own"), ADMINS, ids=lambda each: each._meta.label if hasattr(each, "_meta") else "")
def test_no_list_takes_a_lookup_that_it_does_not_declare(model: type[Model], own: DeclaredLookupsAdmin[Model]) -> None:
    request = RequestFactory().get("/")
    request.user = User(is_active=True, is_superuser=True)  # whom every filter is offered
    declared = {*own.extra_lookups, *(ask for each in own.list_filter for ask in lookups_of_filter(model, each))}

    taken = {
        lookup
        for path in paths(model)
        for lookup in (path + probe for probe in PROBES)
        if own.lookup_allowed(lookup, "1", request)
    }

    assert taken <= declared
    assert not [each for each in declared if "secret" in each or "password" in each or "hash" in each]


def test_every_declared_filter_and_link_still_filters(viewer: Client) -> None:
    for address in (
        "/admin/foundation/webhookdelivery/?endpoint__id__exact=1&state=dead_at",
        "/admin/auth/user/?is_staff__exact=1&groups__id__exact=1",
        "/admin/competitions/competition/?state=draft&board__seq__exact=1",
        "/admin/competitions/comment/?hidden_at__isempty=1",
        "/admin/leaderboards/standing/?player__id__exact=1",
        "/admin/leaderboards/standing/?period__id__exact=1",
        "/admin/leaderboards/submission/?player__id__exact=1",
        "/admin/leaderboards/difference/?repaired__exact=1&found_at__gte=2026-01-01T00:00Z&found_at__lt=2026-02-01T00:00Z",
        "/admin/leaderboards/period/?state__exact=open&board__seq__exact=1",
    ):
        assert viewer.get(address).status_code in (200, 302), address
        assert "e=1" not in viewer.get(address).headers.get("Location", ""), address


def test_an_admin_that_takes_any_lookup_is_refused_at_the_start() -> None:
    class Open(ModelAdmin[Permission]):
        """As Django makes them."""

    assert check_lookups_are_declared(None) == []
    admin.site.register(Permission, Open)
    try:
        assert "sunwi.E006" in [each.id for each in run_checks()]
    finally:
        admin.site.unregister(Permission)
