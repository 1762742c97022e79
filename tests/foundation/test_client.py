"""Whose address a request has: nobody chooses his own."""

import pytest
from django.conf import LazySettings
from django.test import RequestFactory

from foundation.client import client_of


def seen(remote: str, forwarded: str | None = None) -> str:
    headers = {} if forwarded is None else {"X-Forwarded-For": forwarded}
    return client_of(RequestFactory(headers=headers, REMOTE_ADDR=remote).get("/"))


@pytest.mark.parametrize("forged", ["6.6.6.6", "6.6.6.6, 7.7.7.7", "localhost", ""])
def test_without_proxies_a_header_is_nobodys_word(forged: str) -> None:
    assert seen("203.0.113.9", forged) == "203.0.113.9"


@pytest.mark.parametrize("forged", ["", "6.6.6.6, ", "6.6.6.6, 127.0.0.1, 10.0.0.1, ", "rubbish, "])
def test_what_a_client_forged_before_the_proxys_own_word_changes_nothing(settings: LazySettings, forged: str) -> None:
    settings.TRUSTED_PROXIES = 1

    assert seen("10.0.0.1", f"{forged}203.0.113.9") == "203.0.113.9"


def test_of_two_proxies_the_outer_one_saw_the_client(settings: LazySettings) -> None:
    settings.TRUSTED_PROXIES = 2

    assert seen("10.0.0.2", "6.6.6.6, 203.0.113.9, 10.0.0.1") == "203.0.113.9"


@pytest.mark.parametrize("forwarded", [None, "", "203.0.113.9", "rubbish, 10.0.0.1"])
def test_who_came_past_the_proxies_is_known_by_his_connection(settings: LazySettings, forwarded: str | None) -> None:
    settings.TRUSTED_PROXIES = 2

    assert seen("198.51.100.4", forwarded) == "198.51.100.4"


def test_a_household_of_ipv6_is_one_client() -> None:
    assert seen("2001:db8:1:2:aaaa::1") == seen("2001:db8:1:2:bbbb::2") == "2001:db8:1:2::/64"
    assert seen("2001:db8:1:3::1") != seen("2001:db8:1:2::1")


def test_ipv4_in_the_dress_of_ipv6_is_still_one_address() -> None:
    assert seen("::ffff:203.0.113.9") == "203.0.113.9"


def test_a_socket_without_an_address_is_one_client() -> None:
    assert seen("") == "unknown"
