"""The settings DYNAMODB_… from the environment; credentials are found by boto3's own chain."""

from typing import Any

import environ
from django.core.exceptions import ImproperlyConfigured

from foundation.conf import SETTINGS


def settings(env: environ.Env) -> dict[str, Any]:
    """The address, region and table, and how many write shards a new period has. Raises ``ImproperlyConfigured``."""
    given = {
        "DYNAMODB_ENDPOINT": env.str("DYNAMODB_ENDPOINT", default=""),
        "DYNAMODB_REGION": env.str("DYNAMODB_REGION", default=""),
        "DYNAMODB_TABLE": env.str("DYNAMODB_TABLE", default="sunwi"),
        "DYNAMODB_WRITE_SHARDS": env.int("DYNAMODB_WRITE_SHARDS", default=4),
    }
    for name, value in given.items():
        try:
            SETTINGS[name].read(value)
        except ValueError as error:
            raise ImproperlyConfigured(f"{name} {error}") from error
    return given
