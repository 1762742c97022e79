"""Which addresses a message may go to: https, by name, to the public internet alone.

A name is resolved for every try, every address it has is judged, and the connection goes to the very address
that was judged. Otherwise a name that changes its mind in between (DNS rebinding) leads inside.
With WEBHOOK_ALLOW_PRIVATE everything that resolves is allowed, http too.
"""

import re
import socket
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from urllib.parse import SplitResult, urlsplit

from django.conf import settings

from foundation.errors import Forbidden, Invalid

_HOST = re.compile(r"[A-Za-z0-9._:-]+")
_PORTS = {"https": 443, "http": 80}
_UNICAST = IPv6Network("2000::/3")
_NAT64 = IPv6Network("64:ff9b::/96")
_6TO4 = IPv6Network("2002::/16")
_SPECIAL = (
    IPv4Network("192.0.0.0/24"),  # for protocols; not all of it is, to every Python
    IPv4Network("192.88.99.0/24"),  # relays of 6to4
    IPv4Network("168.63.129.16/32"),  # Azure's host, which answers virtual machines under a public address
)


class BadAddress(Invalid):
    """An address that nothing can be sent to."""

    code = "webhook_address"


class PrivateAddress(Forbidden):
    """An address inside, where no message may go."""

    code = "webhook_private_address"


@dataclass(frozen=True, slots=True)
class Target:
    """An address in parts. ``path`` has the query."""

    scheme: str
    host: str
    port: int
    path: str

    @property
    def authority(self) -> str:
        """What the Host header says."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _PORTS[self.scheme] else f"{host}:{self.port}"


def parse(url: str) -> Target:
    """The parts of ``url``. Raises ``BadAddress``."""
    if not url.isascii() or not url.isprintable() or " " in url:
        raise BadAddress("An address is ASCII without blanks: percent-encode the rest, write names as xn--….")
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise BadAddress(f"This is no address: {error}.") from error
    _refuse_parts(parts)
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return Target(parts.scheme, parts.hostname or "", port or _PORTS[parts.scheme], path)


def _refuse_parts(parts: SplitResult) -> None:
    schemes = ("https", "http") if settings.WEBHOOK_ALLOW_PRIVATE else ("https",)
    if parts.scheme not in schemes:
        raise BadAddress(f"An address begins with {' or '.join(f'{scheme}://' for scheme in schemes)}.")
    if "@" in parts.netloc:
        raise BadAddress("An address carries no user or password: the signature says who sends.")
    if not _HOST.fullmatch(parts.hostname or ""):
        raise BadAddress("An address needs the name of a host.")


def resolve(target: Target) -> list[str]:
    """Every IP address of the host. Raises ``BadAddress`` for an unknown name, ``PrivateAddress`` if one is inside."""
    try:
        found = socket.getaddrinfo(target.host, target.port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise BadAddress(f"The name {target.host} cannot be resolved: {error}.") from error
    ips = list(dict.fromkeys(str(entry[4][0]) for entry in found))
    inside = [ip for ip in ips if not is_public(ip)]
    if inside and not settings.WEBHOOK_ALLOW_PRIVATE:
        raise PrivateAddress(f"{target.host} leads to {inside[0]}, which is not on the public internet.")
    return ips


def is_public(ip: str) -> bool:
    """Whether ``ip``, or the IPv4 address that it carries, belongs to the public internet."""
    address = _carried(ip_address(ip))
    if isinstance(address, IPv6Address):
        return address in _UNICAST and address not in _6TO4 and address.is_global
    return address.is_global and not address.is_multicast and not any(address in each for each in _SPECIAL)


def _carried(address: IPv4Address | IPv6Address) -> IPv4Address | IPv6Address:
    if isinstance(address, IPv4Address):
        return address
    if address in _NAT64:
        return IPv4Address(int(address) & 0xFFFF_FFFF)
    return address.ipv4_mapped or address
