"""CIDR blocks that a service key is restricted to, IPv4 and IPv6. ``http/client_address.py`` finds the address."""

from collections.abc import Iterable
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_interface, ip_network
from typing import ClassVar

from foundation.errors import Forbidden, Invalid
from foundation.messages import Message

MOST_BLOCKS = 50
_MAPPED = IPv6Network("::ffff:0:0/96")

Address = IPv4Address | IPv6Address


class BadNetwork(Invalid):
    """The text is not a valid CIDR block."""

    code: ClassVar[str] = "address_block"


class AddressForbidden(Forbidden):
    """The key is valid but not allowed from this address."""

    code: ClassVar[str] = "address_forbidden"


def read_blocks(typed: Iterable[str]) -> list[str]:
    """Normalise blocks and remove duplicates, in the given order; at most 50. Raises ``BadNetwork``."""
    blocks = list(dict.fromkeys(_normalise(each.strip()) for each in typed if each.strip()))
    if len(blocks) > MOST_BLOCKS:
        raise BadNetwork(
            Message("A key is bound to at most %(most)s blocks of addresses; use larger blocks.", most=MOST_BLOCKS)
        )
    return blocks


def contains(blocks: Iterable[str], address: Address) -> bool:
    """Whether ``address``, or the IPv4 address that is mapped into it, is in one of ``blocks``."""
    plain = (address.ipv4_mapped or address) if isinstance(address, IPv6Address) else address
    return any(plain in ip_network(block) for block in blocks)


def _normalise(text: str) -> str:
    try:
        network = ip_network(text, strict=False)
    except ValueError as error:
        raise BadNetwork(
            Message(
                "%(text)s is no block of addresses: write 192.0.2.7, 192.0.2.0/24 or 2001:db8::/32.", text=text[:60]
            )
        ) from error
    if "%" in text or (isinstance(network, IPv6Network) and network.subnet_of(_MAPPED)):
        raise BadNetwork(
            Message(
                "%(text)s is no address that callers have: write IPv4 as 192.0.2.0/24, and IPv6 without a zone.",
                text=text[:60],
            )
        )
    if ip_interface(text).ip != network.network_address:
        raise BadNetwork(
            Message(
                "%(text)s is not where its block begins: write %(block)s, or the one address without /.",
                text=text[:60],
                block=network,
            )
        )
    return str(network)
