"""Settings of the site as a whole from the environment: SITE_URL, DEFAULT_TIMEZONE and EMBED_SITES."""

from collections.abc import Callable
from typing import TypeVar

import environ
from django.core.exceptions import ImproperlyConfigured

from foundation import setting_values

Value = TypeVar("Value")


def url(env: environ.Env) -> str:
    """The address of the site, with which links in e-mails begin. Raises ``ImproperlyConfigured``."""
    given: str = env.str("SITE_URL", default="http://localhost:8000")
    return _read("SITE_URL", setting_values.site_url, given)


def time_zone(env: environ.Env) -> str:
    """The zone of boards that set none. Raises ``ImproperlyConfigured``."""
    given: str = env.str("DEFAULT_TIMEZONE", default="UTC")
    return _read("DEFAULT_TIMEZONE", setting_values.time_zone, given)


def embed_sites(env: environ.Env) -> list[str]:
    """The sites that may show boards in frames. Raises ``ImproperlyConfigured``."""
    return _read("EMBED_SITES", setting_values.embed_sites, env.list("EMBED_SITES", default=[]))


def _read(name: str, read: Callable[[Value], Value], value: Value) -> Value:
    try:
        return read(value)
    except ValueError as error:
        raise ImproperlyConfigured(f"{name} {error}; got {value!r}.") from None
