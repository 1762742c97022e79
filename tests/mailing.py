"""Another way to send e-mails than the tests' own, for one test, on every Django."""

from django.conf import LazySettings

from foundation.mailer import HAS_MAILERS


def use_backend(settings: LazySettings, name: str) -> None:
    """Let this site send its e-mails by this backend of Django's: "smtp", "console", "dummy"."""
    backend = f"django.core.mail.backends.{name}.EmailBackend"
    if HAS_MAILERS:
        settings.MAILERS = {"default": {"BACKEND": backend}}
    else:
        settings.EMAIL_BACKEND = backend
