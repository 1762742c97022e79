"""Secrets that lie in files: where NAME_FILE names one, its one line is what NAME would be, and no environment has it.

The trap: the demo's own file fills in what the environment leaves out, so files are read before it, and win over it.
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
    """``variables``, and before them what the named files hold; ``variables`` themselves stay as they are.

    Raises ``ImproperlyConfigured`` where NAME and NAME_FILE are both given, and for a file that cannot be read, is
    empty, or holds more than one line. No message repeats what a file holds.
    """
    return ChainMap(dict(_found(variables)), variables)


def redis_url(env: environ.Env, server: str, default: str) -> str:
    """The address ``<server>_URL``, with ``<server>_PASSWORD`` put into it where one is given.

    ``default`` is used as it stands. Raises ``ImproperlyConfigured`` for a second password, and one without address.
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
    """``<server>_PASSWORD`` as it is written, also where it begins with a dollar; empty where there is none."""
    return str(env.ENVIRON.get(f"{server}_PASSWORD", ""))


def two_passwords(server: str) -> ImproperlyConfigured:
    """What is said where an address has a password, and another one is given."""
    return ImproperlyConfigured(
        f"{server}_URL holds a password, and {server}_PASSWORD gives another: keep one of them."
    )


def _found(variables: Mapping[str, str]) -> dict[str, str]:
    return {name: _read(name, Path(file)) for name in NAMES if (file := _file_of(name, variables))}


def _file_of(name: str, variables: Mapping[str, str]) -> str:
    file = variables.get(f"{name}_FILE", "")
    if file and variables.get(name):
        raise ImproperlyConfigured(f"{name} and {name}_FILE are both set: unset one of them.")
    return file


def _read(name: str, file: Path) -> str:
    try:
        held = file.read_text(encoding="utf-8").removesuffix("\n").removesuffix("\r")
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise ImproperlyConfigured(f"{name}_FILE: {file} cannot be read ({why}).") from None
    if "\n" in held or "\0" in held:
        raise ImproperlyConfigured(f"{name}_FILE: {file} holds more than one line. Write the secret on one.")
    if not held.strip() and name not in MAY_BE_EMPTY:
        raise ImproperlyConfigured(f"{name}_FILE: {file} is empty. `make secrets` makes what the Compose file needs.")
    if held.startswith("$") and not name.endswith("_PASSWORD"):
        raise ImproperlyConfigured(f"{name}_FILE: {file} begins with a dollar, which names another variable here.")
    return held
