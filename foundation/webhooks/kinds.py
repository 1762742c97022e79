"""The kinds of events that the installed apps send, for the admin's list; an endpoint may want others too."""

_registered: set[str] = set()


def register_kinds(*kinds: str) -> None:
    """Register the kinds of an app, when the process starts."""
    _registered.update(kinds)


def registered_kinds() -> list[str]:
    """Return the kinds of all installed apps, in order."""
    return sorted(_registered)
