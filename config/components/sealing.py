"""What secrets in SQL are encrypted with, and how long a signed request may be under way, from the environment."""

import environ
from django.core.exceptions import ImproperlyConfigured

SHORTEST_KEY = 32
MOST_TOLERANCE_SECONDS = 900


def encryption_keys(env: environ.Env, secret_key: str, fallbacks: list[str]) -> list[str]:
    """The first encrypts, all decrypt. SECRET_KEY and its fallbacks come last: they did it before, or do by default.

    Raises ``ImproperlyConfigured`` for a key of fewer than 32 characters.
    """
    keys: list[str] = [each.strip() for each in env.list("ENCRYPTION_KEYS", default=[]) if each.strip()]
    short = [str(place) for place, each in enumerate(keys, 1) if len(each) < SHORTEST_KEY]
    if short:
        raise ImproperlyConfigured(
            f"ENCRYPTION_KEYS: number {', '.join(short)} is shorter than {SHORTEST_KEY} characters. Make one with "
            "`python -c 'import secrets; print(secrets.token_urlsafe(48))'`."
        )
    return list(dict.fromkeys([*keys, secret_key, *fallbacks]))


def signature_tolerance(env: environ.Env) -> int:
    """Seconds, 1 to 900. Raises ``ImproperlyConfigured`` beyond those."""
    seconds: int = env.int("SIGNATURE_TOLERANCE_SECONDS", default=300)
    if not 1 <= seconds <= MOST_TOLERANCE_SECONDS:
        raise ImproperlyConfigured(f"SIGNATURE_TOLERANCE_SECONDS is 1 to {MOST_TOLERANCE_SECONDS}; got {seconds}.")
    return seconds
