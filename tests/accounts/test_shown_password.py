"""Each page of the site at which a password is typed offers to show it, and nothing of the page is inline."""

import re

import pytest
from django.conf import LazySettings
from django.test import Client

from foundation.throttling import rate_limit
from tests.accounts.people import mailed
from tests.accounts.test_sign_up import ADDRESS
from tests.leaderboards.factories import UserFactory
from tests.leaderboards.views.pages import signed_in

pytestmark = pytest.mark.django_db


def test_each_field_for_a_password_has_its_button_and_its_page_the_script(settings: LazySettings) -> None:
    settings.SIGN_UP = "open"
    rate_limit.reset()
    own = signed_in(Client(), "robin")
    UserFactory.create(username="forgetful", email="forgetful@example.org", password="a long enough password")
    Client().post("/accounts/sign-up/", {"email": ADDRESS})
    new = mailed()
    Client().post("/accounts/reset/", {"email": "forgetful@example.org"})
    pages = {path: Client().get(path, follow=True) for path in ("/accounts/login/", "/admin/login/", new, mailed())}
    pages |= {path: own.get(path) for path in ("/accounts/password/", "/accounts/confirm/")}

    for path, answer in pages.items():
        page = answer.content.decode()
        fields = re.findall(r'<input[^>]* type="password"[^>]* id="(\w+)"', page)
        assert len(fields) == page.count('type="password"') >= 1, path
        assert re.findall(r'aria-controls="(\w+)" aria-pressed="false" data-show-password hidden', page) == fields, path
        line = r'<span class="password"><input[^>]*><button type="button" class="button show-password"'
        assert len(re.findall(line, page)) == len(fields), path  # beside its field
        by_later = r'<meta name="script" content="/scripts/\w+/show-password\.js"'
        assert re.search(by_later, page), path
