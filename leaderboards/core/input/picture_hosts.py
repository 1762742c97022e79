"""Whether an address is among those that pictures may come from."""

from collections.abc import Iterable
from urllib.parse import urlsplit


def is_allowed(host: str, allowed: Iterable[str]) -> bool:
    """Whether ``host`` is one of ``allowed``, of which ``*.example.org`` means every host below ``example.org``."""
    name = host.lower().removesuffix(".")
    return any(name == each or (each.startswith("*.") and name.endswith(each[1:])) for each in allowed)


def why_refused(address: str, allowed: Iterable[str]) -> str:
    """Return why no picture is fetched from an address, if only these hosts are ``allowed``; empty if it is."""
    try:
        parts = urlsplit(address)
        host = parts.hostname or ""
    except ValueError:
        return "It is no address."
    if parts.scheme != "https":
        return "Only https is fetched."
    return "" if is_allowed(host, allowed) else "Its host is not in PICTURE_HOSTS."
