"""The settings PLAYERS_EDIT and PICTURE_HOSTS from the environment."""

import environ
from django.core.exceptions import ImproperlyConfigured

from foundation.conf import PROFILE_FIELDS, read_hosts, read_profile_fields


def players_edit(env: environ.Env) -> list[str]:
    """What players may change of themselves. Raises ``ImproperlyConfigured``."""
    try:
        return read_profile_fields(env.list("PLAYERS_EDIT", default=list(PROFILE_FIELDS)))
    except ValueError as error:
        raise ImproperlyConfigured(f"PLAYERS_EDIT {error}") from error


def picture_hosts(env: environ.Env) -> list[str]:
    """The hosts that pictures are fetched from. Raises ``ImproperlyConfigured``."""
    try:
        return read_hosts(env.list("PICTURE_HOSTS", default=[]))
    except ValueError as error:
        raise ImproperlyConfigured(f"PICTURE_HOSTS {error}") from error
