"""Who a request comes from: who has signed in, and the address of the client as far as it can be believed.

The trap: ``X-Forwarded-For`` begins with whatever the client wrote into it. Only what our own proxies added counts,
which stands at its end: with two of them the second from the right.
"""

from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address

from django.conf import settings
from django.contrib.auth.base_user import AbstractBaseUser
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest

UNKNOWN = "unknown"
CACHE_SIZE = 1_000
LONGEST = 100  # no address takes more characters; who writes more makes nobody remember it


def signed_in(request: HttpRequest) -> AbstractBaseUser:
    """The account behind a request. Raises ``PermissionDenied`` where nobody has signed in."""
    if not isinstance(request.user, AbstractBaseUser):
        raise PermissionDenied
    return request.user


def client_network(request: HttpRequest) -> str:
    """The address, or of IPv6 the network of 64 bits that one household has; ``unknown`` where there is none."""
    spelled = (_forwarded(request), request.META.get("REMOTE_ADDR") or "")
    return next((found for text in spelled if len(text) <= LONGEST and (found := _household(text))), UNKNOWN)


def client_address(request: HttpRequest) -> IPv4Address | IPv6Address | None:
    """The whole address, for what must not open by mistake: None where what our proxies say of it cannot be read."""
    return _read(_forwarded(request) or request.META.get("REMOTE_ADDR", ""))


def _forwarded(request: HttpRequest) -> str:
    """What the outermost of our proxies saw; empty where a request came past them."""
    proxies: int = settings.TRUSTED_PROXIES
    seen = request.META.get("HTTP_X_FORWARDED_FOR", "").split(",") if proxies > 0 else []
    return seen[-proxies].strip() if 0 < proxies <= len(seen) else ""


@lru_cache(CACHE_SIZE)
def _household(text: str) -> str:
    """The address that ``text`` spells, or of IPv6 its network of 64 bits; empty where it spells none."""
    address = _read(text)
    if isinstance(address, IPv6Address):
        return str(address.ipv4_mapped or IPv6Network((int(address) >> 64 << 64, 64)))
    return "" if address is None else str(address)


def _read(text: str) -> IPv4Address | IPv6Address | None:
    try:
        return ip_address(text)
    except ValueError:
        return None
