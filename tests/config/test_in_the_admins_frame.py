"""What the admin refuses, or asks before, is said in its frame: who works there stays there."""

import pytest
from django.test import Client

from foundation.users import User
from tests.staff import staff

RAIL = 'class="rail'

pytestmark = pytest.mark.django_db


def test_a_refusal_is_told_within_the_admin_and_to_others_on_the_site() -> None:
    client = staff()
    refused, elsewhere = client.get("/admin/leaderboards/board/add/"), Client().get("/admin/", follow=True)

    html = refused.content.decode()

    assert refused.status_code == 403
    assert RAIL in html
    assert "<h1>This is not for you to see</h1>" in html
    assert 'href="/admin/"' in html
    assert RAIL not in elsewhere.content.decode()


def test_who_they_are_is_asked_within_the_admin_with_a_way_back(admin_user: User) -> None:
    admin_user.set_password("a-password-123")
    admin_user.save()
    client = Client()
    client.force_login(admin_user)

    asked = client.get("/accounts/confirm/", {"next": "/admin/leaderboards/servicekey/add/"}).content.decode()
    wrong = client.post("/accounts/confirm/", {"next": "/admin/", "password": "x"}).content.decode()
    right = client.post("/accounts/confirm/", {"next": "/admin/", "password": "a-password-123"})
    on_the_site = client.get("/accounts/confirm/", {"next": "/accounts/"}).content.decode()

    assert RAIL in asked
    assert "<h1>Confirm that it is you</h1>" in asked
    assert 'href="/admin/" class="closelink"' in asked
    assert "This password is wrong." in wrong
    assert RAIL in wrong
    assert right["Location"] == "/admin/"
    assert RAIL not in on_the_site


def test_what_is_not_there_is_told_within_the_admin_and_to_others_on_the_site() -> None:
    missing, elsewhere = staff().get("/admin/nothing/here/"), Client().get("/nothing/here/")

    html = missing.content.decode()

    assert (missing.status_code, elsewhere.status_code) == (404, 404)
    assert RAIL in html
    assert "<h1>There is no such page</h1>" in html
    assert RAIL not in elsewhere.content.decode()
