"""Accounts, and the pages of errors."""

import pytest
from django.template.loader import render_to_string
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from foundation import clock
from leaderboards.models import LinkCode, Player
from leaderboards.services.players.link import make_code
from tests.leaderboards.views.pages import signed_in, text
from tests.playing import account

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_link_code_links_the_account_to_its_player_unless_they_are_somebody_elses(client: Client) -> None:
    signed_in(client, "someone")
    code, _ = make_code("robin", clock.now())

    linked = client.post("/account/", {"code": f" {code[:4].lower()} {code[4:]} "}, follow=True)
    code, _ = make_code("robin", clock.now())
    refused = signed_in(Client(), "second").post("/account/", {"code": code})

    assert "Your player robin" in text(linked)
    assert "are linked already" in text(refused)
    assert Player.objects.filter(external_id="robin", user__username="someone").exists()
    assert LinkCode.objects.filter(used_at=None).count() == 1


def test_a_wrong_code_is_refused_beside_the_field_and_who_guesses_on_is_told_to_wait(client: Client) -> None:
    signed_in(client, "someone")
    guesses = [client.post("/account/", {"code": f"ABCD234{nth}"}) for nth in range(11)]
    code, _ = make_code("robin", clock.now())

    response = client.post("/account/", {"code": code})

    assert "This code is not known, was used, or is older than ten minutes." in text(guesses[0])
    assert 'aria-describedby="code-error"' in guesses[0].content.decode()
    assert [guess.status_code for guess in guesses] == [200] * 10 + [429]
    assert response.status_code == 429
    assert 1 <= int(response["Retry-After"]) <= 60
    assert not Player.objects.filter(user__username="someone").exists()


def test_the_account_page_asks_to_sign_in_which_happens_on_the_sites_own_pages(client: Client) -> None:
    account("robin")
    tokenless = Client(enforce_csrf_checks=True).post("/accounts/login/", {"username": "robin", "password": "secret"})

    asked = client.get("/account/")
    wrong = client.post("/accounts/login/", {"username": "robin", "password": "guess"})
    right = client.post(asked["Location"], {"username": "robin", "password": "secret"}, follow=True)
    out = client.post("/accounts/logout/", follow=True)

    assert (asked.status_code, asked["Location"]) == (302, "/accounts/login/?next=/account/")
    assert "Please enter a correct username and password" in text(wrong)
    assert "Signed in as robin" in text(right)
    assert "Sign in" in text(out)
    assert tokenless.status_code == 403
    assert "This form is too old" in text(tokenless)


def test_the_page_of_a_failure_needs_no_database(django_assert_num_queries: DjangoAssertNumQueries) -> None:
    with django_assert_num_queries(0):
        assert "Something went wrong" in render_to_string("500.html")


def test_after_linking_one_is_back_on_the_page_of_this_site_that_needed_a_player(client: Client) -> None:
    signed_in(client, "someone")
    codes = [make_code(player, clock.now())[0] for player in ("robin", "mina")]

    back = client.post("/account/?next=/inbox/", {"code": codes[0]})
    elsewhere = signed_in(Client(), "second").post("/account/?next=//evil.example/", {"code": codes[1]})

    assert (back["Location"], elsewhere["Location"]) == ("/inbox/", "/account/")
