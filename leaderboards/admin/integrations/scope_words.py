"""The scopes of service keys in words."""

from django.utils.translation import gettext_lazy as _lazy

from foundation.models import ServiceKey
from foundation.security import service_keys

WORDS = {
    "scores:write": _lazy("send scores"),
    "players:write": _lazy("keep profiles, and let players join competitions"),
    "likes:write": _lazy("like for players"),
    "boards:read": _lazy("read private boards"),
}


def scope_in_words(scope: str) -> str:
    """Return what a scope allows; one of another release as it is."""
    return str(WORDS.get(scope, scope))


def scopes_in_words(key: ServiceKey) -> str:
    """Return what a key may do, in the order of all scopes."""
    known = [scope for scope in service_keys.SCOPES if scope in key.scopes]
    return ", ".join(map(scope_in_words, [*known, *(each for each in key.scopes if each not in known)]))


def scope_choices() -> list[tuple[str, str]]:
    """Return the scopes for a form: the words, and the name that commands take."""
    return [(scope, f"{scope_in_words(scope)} ({scope})") for scope in service_keys.SCOPES]
