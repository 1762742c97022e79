"""Where a request comes from: the account that is signed in, and the client's address.

The trap: clients can put anything at the start of ``X-Forwarded-For``. Only the entries at its end, which our own
proxies (TRUSTED_PROXIES) added, count: with two proxies the second from the right.
"""

from collections.abc import Mapping
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from typing import Any

from django.contrib.auth.base_user import AbstractBaseUser
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest

from foundation.sunwi_settings import sunwi_settings

UNKNOWN = "unknown"
CACHE_SIZE = 1_000
LONGEST = 100  # characters; no address is longer, and longer texts are not cached


def signed_in(request: HttpRequest) -> AbstractBaseUser:
    """The account that is signed in. Raises ``PermissionDenied`` if there is none."""
    if not isinstance(request.user, AbstractBaseUser):
        raise PermissionDenied
    return request.user


def client_network(request: HttpRequest) -> str:
    """The client's IPv4 address or its IPv6 /64 network, which one household shares; ``unknown`` if there is none."""
    texts = (_forwarded(request.META), request.META.get("REMOTE_ADDR") or "")
    return next((network for text in texts if len(text) <= LONGEST and (network := _network_of(text))), UNKNOWN)


def client_address(request: HttpRequest) -> IPv4Address | IPv6Address | None:
    """The full address, for access decisions: None if the proxies' entry cannot be parsed."""
    return address_in(request.META)


def address_in(environ: Mapping[str, Any]) -> IPv4Address | IPv6Address | None:
    """The same, of a request with this WSGI environment."""
    return _parse(_forwarded(environ) or environ.get("REMOTE_ADDR", ""))


def _forwarded(environ: Mapping[str, Any]) -> str:
    """The client's address as the outermost of our proxies saw it; empty if the request did not come through them."""
    proxies: int = sunwi_settings.TRUSTED_PROXIES
    addresses = environ.get("HTTP_X_FORWARDED_FOR", "").split(",") if proxies > 0 else []
    return addresses[-proxies].strip() if 0 < proxies <= len(addresses) else ""


@lru_cache(CACHE_SIZE)
def _network_of(text: str) -> str:
    """The IPv4 address or IPv6 /64 network of ``text``; empty if it is not an address."""
    address = _parse(text)
    if isinstance(address, IPv6Address):
        return str(address.ipv4_mapped or IPv6Network((int(address) >> 64 << 64, 64)))
    return "" if address is None else str(address)


def _parse(text: str) -> IPv4Address | IPv6Address | None:
    try:
        return ip_address(text)
    except ValueError:
        return None
