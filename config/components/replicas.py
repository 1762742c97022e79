"""The settings REPLICA_STALENESS and REPLICA_URLS from the environment."""

import environ
from django.core.exceptions import ImproperlyConfigured

from foundation import setting_values


def staleness(env: environ.Env) -> float:
    """How many seconds old an answer of a replica may be; 0: none is asked. Raises ``ImproperlyConfigured``."""
    given = env.str("REPLICA_STALENESS", default="0")
    try:
        return setting_values.replica_staleness(float(given))
    except ValueError as error:
        why = str(error) if str(error).startswith("must") else f"must be a number; it is {given!r}"
        raise ImproperlyConfigured(f"REPLICA_STALENESS {why}") from error


def urls(env: environ.Env) -> list[str]:
    """The addresses of the replicas of one Redis server. Raises ``ImproperlyConfigured``."""
    try:
        return setting_values.replica_urls(env.list("REPLICA_URLS", default=[]))
    except ValueError as error:
        raise ImproperlyConfigured(f"REPLICA_URLS {error}") from error
