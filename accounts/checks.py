"""What `check --deploy` says of accounts: that signing up can work as it is set."""

from typing import Any

from django.conf import settings
from django.core.checks import (
    CheckMessage,
    Tags,
    Warning,  # noqa: A004 (Django's word)
    register,
)


@register(Tags.security, deploy=True)
def signing_up_has_its_mails(**_: Any) -> list[CheckMessage]:
    """Who signs up follows a link from a mail, so without mails there is no page for it."""
    if settings.SIGN_UP != "open" or "dummy" not in settings.EMAIL_BACKEND:
        return []
    hint = "Set EMAIL_URL, or SIGN_UP=invitation, where links are handed over."
    return [Warning("SIGN_UP is open, and no e-mails are sent: nobody can sign up.", hint=hint, id="sunwi.W002")]
