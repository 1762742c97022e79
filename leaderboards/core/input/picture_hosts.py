"""Whether a host is among those that pictures may come from."""

from collections.abc import Iterable


def is_allowed(host: str, allowed: Iterable[str]) -> bool:
    """Whether ``host`` is one of ``allowed``, of which ``*.example.org`` means every host below ``example.org``."""
    name = host.lower().removesuffix(".")
    return any(name == each or (each.startswith("*.") and name.endswith(each[1:])) for each in allowed)
