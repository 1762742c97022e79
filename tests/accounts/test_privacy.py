"""What is kept about people is told before they make an account, and under Account."""

import os
from unittest.mock import patch

import environ
import pytest
from django.conf import LazySettings
from django.core.exceptions import ImproperlyConfigured
from django.test import Client

from config.components import accounts
from tests.accounts.people import mailed
from tests.accounts.test_sign_up import ADDRESS, invited, link_in
from tests.leaderboards.views.pages import signed_in, text

pytestmark = pytest.mark.django_db

PAGE = "/accounts/privacy/"


def test_every_page_at_which_an_account_is_made_leads_there_and_so_does_the_account(settings: LazySettings) -> None:
    settings.SIGN_UP = "open"
    invitation = link_in(invited())
    Client().post("/accounts/sign-up/", {"email": ADDRESS})
    pages = {path: Client().get(path) for path in ("/accounts/sign-up/", invitation, mailed())}
    pages["/account/"] = signed_in(Client(), "robin").get("/account/")

    assert {path for path, page in pages.items() if f'href="{PAGE}"' not in page.content.decode()} == set()


def test_it_says_for_how_long_and_leads_to_what_those_who_run_the_site_say(settings: LazySettings) -> None:
    settings.AUDIT_KEEP_DAYS, settings.PRIVACY_URL = 365, "https://example.org/privacy?a=1&b=2"

    page = Client().get(PAGE)

    assert "365 days" in text(page)
    assert 'href="https://example.org/privacy?a=1&amp;b=2"' in page.content.decode()
    settings.PRIVACY_URL = ""
    assert "example.org" not in Client().get(PAGE).content.decode()


@pytest.mark.parametrize("address", ["javascript:alert(1)", "example.org", "ftp://example.org"])
def test_an_address_that_is_no_page_is_refused_at_the_start(address: str) -> None:
    with patch.dict(os.environ, {"PRIVACY_URL": address}), pytest.raises(ImproperlyConfigured, match="PRIVACY_URL"):
        accounts.privacy_url(environ.Env())


def test_the_page_is_korean_for_who_reads_korean() -> None:
    page = Client().get(PAGE, headers={"Accept-Language": "ko"})

    assert "보관하는 개인정보" in text(page)
