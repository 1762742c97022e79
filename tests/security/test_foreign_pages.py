"""What a page of another site sends in the name of who is signed in here: nothing at any address of the site."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from foundation.http.fast_path import API
from tests.accounts.people import LOGIN, PASSWORD
from tests.competitions.addresses import EXAMPLES, admin_addresses
from tests.leaderboards.factories import UserFactory

pytestmark = pytest.mark.django_db

WITHOUT_TOKENS = re.compile(r"api/|\^api")  # no cookie opens anything there


def of_pages() -> set[str]:
    """An address of each page, its parameters filled in with whatever."""
    values = dict.fromkeys(("c", "board", "other", "series", "comment", "team", "division"), 1)
    pages = {each.format(player="bob", picture="abc", **values) for some in EXAMPLES.values() for each in some}
    return {each.partition("?")[0] for each in pages if not each.startswith("/api")} | set(admin_addresses(1))


def test_a_form_without_its_token_is_refused_at_every_page_also_of_a_superuser(admin_user: User) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(admin_user)

    taken = {each for each in of_pages() if client.post(each).status_code != 403}

    assert len(of_pages()) > 100
    assert taken == set()


def views(resolver: URLResolver, prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Each route and its view."""
    for pattern in resolver.url_patterns:
        route = prefix + str(pattern.pattern)
        if isinstance(pattern, URLPattern):
            yield route, pattern.callback
        else:
            yield from views(pattern, route)


def test_no_view_outside_of_the_api_is_exempt_from_tokens() -> None:
    exempt = {route for route, view in views(get_resolver()) if getattr(view, "csrf_exempt", False)}

    assert {each for each in exempt if not WITHOUT_TOKENS.match(each)} == set()
    assert any(each.startswith(API.lstrip("/")) for each in exempt)


def test_a_form_with_its_token_is_taken_and_with_one_of_another_browser_not() -> None:
    UserFactory.create(username="robin", password=PASSWORD)
    client, other = Client(enforce_csrf_checks=True), Client(enforce_csrf_checks=True)
    own, foreign = (
        re.search(r'csrfmiddlewaretoken" value="(\w+)"', each.get(LOGIN).content.decode()) for each in (client, other)
    )
    assert own is not None
    assert foreign is not None
    typed = {"username": "robin", "password": PASSWORD}

    refused = client.post(LOGIN, {**typed, "csrfmiddlewaretoken": foreign[1]})
    taken = client.post(LOGIN, {**typed, "csrfmiddlewaretoken": own[1]})

    assert (refused.status_code, taken.status_code) == (403, 302)
