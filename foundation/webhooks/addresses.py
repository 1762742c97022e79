"""Which URLs webhooks may be sent to: https, to public addresses only.

The name is resolved for every try, all its addresses are checked, and the connection goes to a checked address.
Otherwise a name whose address changes in between (DNS rebinding) could lead into the private network.
With WEBHOOK_ALLOW_PRIVATE every address is allowed, and http too.
"""

import re
import socket
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from urllib.parse import SplitResult, urlsplit

from foundation.errors import Forbidden, Invalid
from foundation.messages import Message
from foundation.sunwi_settings import sunwi_settings

_HOST = re.compile(r"[A-Za-z0-9._:-]+")
_PORTS = {"https": 443, "http": 80}
_UNICAST = IPv6Network("2000::/3")
_NAT64 = IPv6Network("64:ff9b::/96")
_6TO4 = IPv6Network("2002::/16")
_SPECIAL = (
    IPv4Network("192.0.0.0/24"),  # protocol assignments; some Python versions count parts of it as global
    IPv4Network("192.88.99.0/24"),  # relays of 6to4
    IPv4Network("168.63.129.16/32"),  # Azure's host, which answers virtual machines under a public address
)


class BadAddress(Invalid):
    """A URL that is malformed, not https, or whose name cannot be resolved."""

    code = "webhook_address"


class PrivateAddress(Forbidden):
    """A host with a private address."""

    code = "webhook_private_address"


@dataclass(frozen=True, slots=True)
class Target:
    """The parts of a URL. ``path`` includes the query."""

    scheme: str
    host: str
    port: int
    path: str

    @property
    def authority(self) -> str:
        """The value of the Host header."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _PORTS[self.scheme] else f"{host}:{self.port}"


def parse(url: str) -> Target:
    """Parse ``url``. Raises ``BadAddress``."""
    if not url.isascii() or not url.isprintable() or " " in url:
        raise BadAddress(Message("An address is ASCII without blanks: percent-encode the rest, write names as xn--…."))
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise BadAddress(Message("This is no address: %(error)s.", error=str(error))) from error
    _refuse_parts(parts)
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return Target(parts.scheme, parts.hostname or "", port or _PORTS[parts.scheme], path)


def _refuse_parts(parts: SplitResult) -> None:
    schemes = ("https", "http") if sunwi_settings.WEBHOOK_ALLOW_PRIVATE else ("https",)
    if parts.scheme not in schemes:
        allowed = " / ".join(f"{scheme}://" for scheme in schemes)
        raise BadAddress(Message("An address begins with %(schemes)s.", schemes=allowed))
    if "@" in parts.netloc:
        raise BadAddress(Message("An address carries no user or password: the signature says who sends."))
    if not _HOST.fullmatch(parts.hostname or ""):
        raise BadAddress(Message("An address needs the name of a host."))


def resolve(target: Target, may_be_private: bool | None = None) -> list[str]:
    """All IP addresses of the host. Raises ``BadAddress`` for an unknown name, ``PrivateAddress`` if one is private.

    Unless ``may_be_private`` says so, WEBHOOK_ALLOW_PRIVATE decides whether private ones are allowed.
    """
    is_open = sunwi_settings.WEBHOOK_ALLOW_PRIVATE if may_be_private is None else may_be_private
    try:
        entries = socket.getaddrinfo(target.host, target.port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise BadAddress(
            Message("The name %(host)s cannot be resolved: %(error)s.", host=target.host, error=str(error))
        ) from error
    ips = list(dict.fromkeys(str(entry[4][0]) for entry in entries))
    private = [ip for ip in ips if not is_public(ip)]
    if private and not is_open:
        raise PrivateAddress(
            Message(
                "%(host)s leads to %(ip)s, which is not on the public internet: give a public address.",
                host=target.host,
                ip=private[0],
            )
        )
    return ips


def is_public(ip: str) -> bool:
    """Whether ``ip``, or the IPv4 address embedded in it, belongs to the public internet."""
    address = _embedded_ipv4(ip_address(ip))
    if isinstance(address, IPv6Address):
        return address in _UNICAST and address not in _6TO4 and address.is_global
    return address.is_global and not address.is_multicast and not any(address in each for each in _SPECIAL)


def _embedded_ipv4(address: IPv4Address | IPv6Address) -> IPv4Address | IPv6Address:
    if isinstance(address, IPv4Address):
        return address
    if address in _NAT64:
        return IPv4Address(int(address) & 0xFFFF_FFFF)
    return address.ipv4_mapped or address
