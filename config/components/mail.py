"""Settings of e-mails: EMAIL_URL as Django 6.1 wants them (``MAILERS``), or as earlier ones do (``EMAIL_…``)."""

from typing import Any

import environ

from foundation.mailer import HAS_MAILERS

TIMEOUT_SECONDS = 5
NOWHERE = "dummymail://"
# What each of Django's backends takes; those that are not named take nothing.
OPTIONS = {
    "smtp": {
        "EMAIL_HOST": "host",
        "EMAIL_PORT": "port",
        "EMAIL_HOST_USER": "username",
        "EMAIL_HOST_PASSWORD": "password",
        "EMAIL_USE_TLS": "use_tls",
        "EMAIL_USE_SSL": "use_ssl",
        "EMAIL_TIMEOUT": "timeout",
    },
    "filebased": {"EMAIL_FILE_PATH": "file_path"},
}


def mail_settings(env: environ.Env, has_mailers: bool = HAS_MAILERS) -> dict[str, Any]:
    """Read EMAIL_URL; without it e-mails go nowhere. Raises ``ImproperlyConfigured`` for an unknown scheme."""
    read: dict[str, Any] = env.email_url("EMAIL_URL", default=NOWHERE) | {"EMAIL_TIMEOUT": TIMEOUT_SECONDS}
    if not has_mailers:
        return read
    backend: str = read["EMAIL_BACKEND"]
    taken = OPTIONS.get(backend.split(".")[-2], {})
    options = {taken[name]: value for name, value in read.items() if name in taken and value is not None}
    return {"MAILERS": {"default": {"BACKEND": backend, "OPTIONS": options}}}
