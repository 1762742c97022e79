"""How this site sends e-mails, asked in one way of every Django: 6.1 has ``MAILERS``, earlier ones not."""

from typing import TYPE_CHECKING, Any

import django
from django.conf import settings
from django.core import mail

if TYPE_CHECKING:
    from django.core.mail.backends.base import BaseEmailBackend

SMTP = "django.core.mail.backends.smtp.EmailBackend"  # Django's own default, which a mailer need not name
HAS_MAILERS = django.VERSION >= (6, 1)


def backend() -> str:
    """The dotted path of the backend that sends e-mails; empty if ``MAILERS`` has no "default": none can be sent."""
    mailers: dict[str, dict[str, Any]] | None = getattr(settings, "MAILERS", None) if HAS_MAILERS else None
    if mailers is None:
        return str(settings.EMAIL_BACKEND)
    return str(mailers["default"].get("BACKEND", SMTP)) if "default" in mailers else ""


def is_sent() -> bool:
    """Whether e-mails go anywhere."""
    return backend() != "" and "dummy" not in backend()


def is_only_logged() -> bool:
    """Whether e-mails are only written to the standard output of the process that sends them."""
    return "console" in backend()


def connection() -> "BaseEmailBackend":
    """A connection of this site's backend, not open yet.

    Raises ``ImproperlyConfigured`` if ``MAILERS`` has no "default".
    """
    if HAS_MAILERS:
        found: BaseEmailBackend = mail.mailers["default"]
        return found
    return mail.get_connection()
