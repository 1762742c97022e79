"""Settings from the environment: encryption keys of secrets in SQL, and the tolerance of signed requests."""

import environ
from django.core.exceptions import ImproperlyConfigured

SHORTEST_KEY = 32
MOST_TOLERANCE_SECONDS = 900


def encryption_keys(env: environ.Env, secret_key: str, fallbacks: list[str]) -> list[str]:
    """ENCRYPTION_KEYS, then SECRET_KEY and its fallbacks. The first key encrypts, all decrypt.

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
    """Read SIGNATURE_TOLERANCE_SECONDS, 1 to 900. Raises ``ImproperlyConfigured``."""
    seconds: int = env.int("SIGNATURE_TOLERANCE_SECONDS", default=300)
    if not 1 <= seconds <= MOST_TOLERANCE_SECONDS:
        raise ImproperlyConfigured(f"SIGNATURE_TOLERANCE_SECONDS is 1 to {MOST_TOLERANCE_SECONDS}; got {seconds}.")
    return seconds
