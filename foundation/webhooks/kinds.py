"""The kinds of events that the installed apps send, for the admin's list; an endpoint may want others too."""

from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _lazy

_registered: set[str] = set()
_words: dict[str, str | Promise] = {"test": _lazy("a test message")}  # sent from the admin, and asked for by nobody


def register_kinds(*kinds: str, words: Mapping[str, str | Promise] | None = None) -> None:
    """Register the kinds of an app, when the process starts; ``words`` says of each what it tells."""
    _registered.update(kinds)
    _words.update(words or {})


def registered_kinds() -> list[str]:
    """Return the kinds of all installed apps, in order."""
    return sorted(_registered)


def kind_in_words(kind: str) -> str:
    """Return what a kind tells, in the reader's language; a kind that nobody described as it is."""
    return str(_words.get(kind, kind))
