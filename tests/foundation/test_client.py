"""Whose address a request has: nobody chooses their own."""

import pytest
from django.conf import LazySettings
from django.test import RequestFactory

from foundation.client import client_of


def seen(remote: str, forwarded: str | None = None) -> str:
    headers = {} if forwarded is None else {"X-Forwarded-For": forwarded}
    return client_of(RequestFactory(headers=headers, REMOTE_ADDR=remote).get("/"))


@pytest.mark.parametrize(
    ("proxies", "remote", "forwarded", "client"),
    [
        # Without proxies a header is nobody's word.
        *((0, "203.0.113.9", forged, "203.0.113.9") for forged in ("6.6.6.6", "6.6.6.6, 7.7.7.7", "localhost", "")),
        # What a client forged before the proxy's own word changes nothing.
        (1, "10.0.0.1", "203.0.113.9", "203.0.113.9"),
        (1, "10.0.0.1", "6.6.6.6, 203.0.113.9", "203.0.113.9"),
        (1, "10.0.0.1", "6.6.6.6, 127.0.0.1, 10.0.0.1, 203.0.113.9", "203.0.113.9"),
        (1, "10.0.0.1", "rubbish, 203.0.113.9", "203.0.113.9"),
        # Of two proxies the outer one saw the client.
        (2, "10.0.0.2", "6.6.6.6, 203.0.113.9, 10.0.0.1", "203.0.113.9"),
        # Who came past the proxies is known by their connection.
        *((2, "198.51.100.4", past, "198.51.100.4") for past in (None, "", "203.0.113.9", "rubbish, 10.0.0.1")),
        # A household of IPv6 is one client; IPv4 in its dress is still one address.
        (0, "2001:db8:1:2:aaaa::1", None, "2001:db8:1:2::/64"),
        (0, "2001:db8:1:2:bbbb::2", None, "2001:db8:1:2::/64"),
        (0, "2001:db8:1:3::1", None, "2001:db8:1:3::/64"),
        (0, "::ffff:203.0.113.9", None, "203.0.113.9"),
        # A socket without an address is one client.
        (0, "", None, "unknown"),
    ],
)
def test_the_client_is_whom_the_outermost_trusted_party_saw(
    settings: LazySettings, proxies: int, remote: str, forwarded: str | None, client: str
) -> None:
    settings.TRUSTED_PROXIES = proxies

    assert seen(remote, forwarded) == client
