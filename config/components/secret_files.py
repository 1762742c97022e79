"""Secrets in files: NAME_FILE names a file with one line, which is used as the value of NAME.

The trap: the demo's own file sets variables that are missing in the environment, so secret files are read before it
and override it.
"""

from collections import ChainMap
from collections.abc import Mapping, MutableMapping
from pathlib import Path

import environ
from django.core.exceptions import ImproperlyConfigured

from config.components import redis_urls

MAY_BE_EMPTY = frozenset({"SECRET_KEY_FALLBACKS", "ENCRYPTION_KEYS"})
NAMES = (
    "SECRET_KEY", *sorted(MAY_BE_EMPTY), "DATABASE_URL", "DATABASE_PASSWORD", "REDIS_URL", "REDIS_PASSWORD",
    "CACHE_URL", "CACHE_PASSWORD", "BROKER_URL", "BROKER_PASSWORD", "EMAIL_URL", "METRICS_TOKEN",
)  # fmt: skip  # as a list


def with_files(variables: MutableMapping[str, str]) -> MutableMapping[str, str]:
    """``variables`` overlaid with the secrets in files; ``variables`` itself is not changed.

    Raises ``ImproperlyConfigured`` if NAME and NAME_FILE are both set, and for a file that cannot be read, is empty, or
    has more than one line. Messages never contain the secret.
    """
    return ChainMap(_read_files(variables), variables)


def redis_url(env: environ.Env, server: str, default: str) -> str:
    """The URL in ``<server>_URL``, with ``<server>_PASSWORD`` added if it is set; else ``default``.

    Raises ``ImproperlyConfigured`` for two passwords, and for a password without a URL.
    """
    url: str = env.str(f"{server}_URL", default="")
    password = password_of(env, server)
    if not password:
        return url or default
    if not url:
        raise ImproperlyConfigured(f"{server}_PASSWORD is set and {server}_URL is not: set the address as well.")
    if redis_urls.has_password(url):
        raise two_passwords(server)
    return redis_urls.with_password(url, password)


def password_of(env: environ.Env, server: str) -> str:
    """``<server>_PASSWORD`` without substitution of a leading dollar; empty if it is not set."""
    return str(env.ENVIRON.get(f"{server}_PASSWORD", ""))


def two_passwords(server: str) -> ImproperlyConfigured:
    """The error for a URL with a password while another one is set."""
    return ImproperlyConfigured(
        f"{server}_URL holds a password, and {server}_PASSWORD gives another: keep one of them."
    )


def _read_files(variables: Mapping[str, str]) -> dict[str, str]:
    return {name: _read(name, Path(file)) for name in NAMES if (file := _file_of(name, variables))}


def _file_of(name: str, variables: Mapping[str, str]) -> str:
    file = variables.get(f"{name}_FILE", "")
    if file and variables.get(name):
        raise ImproperlyConfigured(f"{name} and {name}_FILE are both set: unset one of them.")
    return file


def _read(name: str, file: Path) -> str:
    try:
        content = file.read_text(encoding="utf-8").removesuffix("\n").removesuffix("\r")
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise ImproperlyConfigured(f"{name}_FILE: {file} cannot be read ({why}).") from None
    if "\n" in content or "\0" in content:
        raise ImproperlyConfigured(f"{name}_FILE: {file} holds more than one line. Write the secret on one.")
    if not content.strip() and name not in MAY_BE_EMPTY:
        raise ImproperlyConfigured(f"{name}_FILE: {file} is empty. `make secrets` makes what the Compose file needs.")
    if content.startswith("$") and not name.endswith("_PASSWORD"):
        raise ImproperlyConfigured(f"{name}_FILE: {file} begins with a dollar, which names another variable here.")
    return content
