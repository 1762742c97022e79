"""What pages alone need is not done for the API; what guards every answer is."""

import pytest
from django.test import Client
from django.utils import translation

API, PAGE = "/api/v1/boards", "/accounts/login/"

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("address", [API, PAGE])
def test_every_answer_is_guarded(client: Client, address: str) -> None:
    response = client.get(address)

    assert "default-src 'none'" in response["Content-Security-Policy"]
    assert (response["X-Frame-Options"], response["X-Content-Type-Options"]) == ("DENY", "nosniff")


def test_the_api_has_no_language_no_cookies_and_nothing_that_depends_on_them(client: Client) -> None:
    response = client.get(API, headers={"Accept-Language": "ko", "Cookie": "sessionid=forged"})

    assert not {"Content-Language", "Vary", "Set-Cookie"} & set(response.headers)
    assert not response.cookies


def test_a_page_has_the_viewers_language_and_says_so(client: Client) -> None:
    response = client.get(PAGE, headers={"Accept-Language": "ko"})

    assert response["Content-Language"] == "ko"
    assert "Accept-Language" in response["Vary"]


def test_the_api_does_not_answer_in_the_language_of_the_threads_last_page(client: Client) -> None:
    client.get(PAGE, headers={"Accept-Language": "ko"})

    client.get(API)

    assert translation.get_language() == "en"


def test_who_is_signed_in_is_nobody_to_the_api_and_stays_signed_in(admin_client: Client) -> None:
    asked = admin_client.put("/api/v1/players/ann", "{}", "application/json")

    assert asked.status_code == 401
    assert admin_client.get("/admin/").status_code == 200
