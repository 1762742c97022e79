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
MOST_KNOWN = 4096  # addresses as they came, and what is made of them


def signed_in(request: HttpRequest) -> AbstractBaseUser:
    """The account behind a request. Raises ``PermissionDenied`` where nobody has signed in."""
    if not isinstance(request.user, AbstractBaseUser):
        raise PermissionDenied
    return request.user


def client_of(request: HttpRequest) -> str:
    """The address, or of IPv6 the network of 64 bits that one household has; ``unknown`` where there is none."""
    return _named(_forwarded(request), request.META.get("REMOTE_ADDR", ""))


@lru_cache(maxsize=MOST_KNOWN)
def _named(forwarded: str, remote: str) -> str:
    address = _read(forwarded) or _read(remote)
    if address is None:
        return UNKNOWN
    if isinstance(address, IPv6Address):
        return str(address.ipv4_mapped or IPv6Network((int(address) >> 64 << 64, 64)))
    return str(address)


def address_of(request: HttpRequest) -> IPv4Address | IPv6Address | None:
    """The whole address, for what must not open by mistake: None where what our proxies say of it cannot be read."""
    return _read(_forwarded(request) or request.META.get("REMOTE_ADDR", ""))


def _forwarded(request: HttpRequest) -> str:
    """What the outermost of our proxies saw; empty where a request came past them."""
    proxies: int = settings.TRUSTED_PROXIES
    if proxies < 1:
        return ""
    seen = request.META.get("HTTP_X_FORWARDED_FOR", "").split(",")
    return seen[-proxies].strip() if proxies <= len(seen) else ""


def _read(text: str) -> IPv4Address | IPv6Address | None:
    try:
        return ip_address(text)
    except ValueError:
        return None
