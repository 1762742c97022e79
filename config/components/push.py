"""The settings PUSH_KEY and PUSH_HOSTS from the environment."""

import environ
from django.core.exceptions import ImproperlyConfigured

from foundation import conf, setting_values


def key(env: environ.Env) -> str:
    """The private key of web push; empty: there is none. Raises ``ImproperlyConfigured``."""
    try:
        return setting_values.push_key(env.str("PUSH_KEY", default=""))
    except ValueError as error:
        raise ImproperlyConfigured(f"PUSH_KEY {error}") from error


def hosts(env: environ.Env) -> list[str]:
    """The hosts of the push services that messages may go to. Raises ``ImproperlyConfigured``."""
    try:
        return conf.read_hosts(env.list("PUSH_HOSTS", default=list(setting_values.PUSH_HOSTS)))
    except ValueError as error:
        raise ImproperlyConfigured(f"PUSH_HOSTS {error}") from error
