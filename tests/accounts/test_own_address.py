"""The address of an account: which it is, and another once its owner says so."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tests.accounts.people import PASSWORD, mailed, sign_in
from tests.leaderboards.factories import UserFactory

pytestmark = pytest.mark.django_db

EMAIL = "/accounts/email/"
ADDRESS = "robin@example.org"


def test_the_page_of_ones_address_says_which_it_is_and_when_another_counts(client: Client) -> None:
    UserFactory.create(username="robin", password=PASSWORD, email=ADDRESS)
    UserFactory.create(username="marian", password=PASSWORD, email="")
    for name, said in (
        ("robin", f"Your present address is {ADDRESS}. The new one counts once"),
        ("marian", "no address"),
    ):
        sign_in(client, name)

        assert said in client.get(EMAIL).content.decode()


def test_another_address_counts_once_its_owner_says_so(client: Client) -> None:
    UserFactory.create(username="robin", password=PASSWORD, email="old@example.org")
    UserFactory.create(username="marian", password=PASSWORD)
    marian = Client()
    sign_in(client, "robin")
    sign_in(marian, "marian")
    client.post(EMAIL, {"email": ADDRESS})
    link = mailed()

    asked, others = client.get(link), marian.get(link)
    marian.post(link)
    before = User.objects.get(username="robin").email
    client.post(link)

    assert f"<p>{ADDRESS}</p>" in asked.content.decode()
    assert (others.status_code, ADDRESS in others.content.decode()) == (404, False)
    assert before == "old@example.org"
    assert User.objects.get(username="robin").email == ADDRESS
    assert User.objects.get(username="marian").email == ""
    assert "This link is not known" in client.post(link).content.decode()


@pytest.mark.parametrize(("before", "said"), [("", "is confirmed."), ("old@example.org", "was changed.")])
def test_a_first_address_is_confirmed_and_a_later_one_changed(client: Client, before: str, said: str) -> None:
    UserFactory.create(username="robin", password=PASSWORD, email=before)
    sign_in(client, "robin")
    client.post(EMAIL, {"email": ADDRESS})

    assert f"Your address {said}" in client.post(mailed(), follow=True).content.decode()


def test_an_address_belongs_to_one_account(client: Client) -> None:
    UserFactory.create(username="robin", password=PASSWORD)
    sign_in(client, "robin")
    client.post(EMAIL, {"email": ADDRESS})
    link = mailed()
    UserFactory.create(username="quicker", email=ADDRESS.upper())

    refused = client.post(link)

    assert "Another account has this address" in refused.content.decode()
    assert User.objects.get(username="robin").email == ""
