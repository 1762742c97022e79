"""System checks of accounts, for `check --deploy`."""

from typing import Any

from django.core.checks import (
    CheckMessage,
    Tags,
    Warning,  # noqa: A004 - the name is Django's
    register,
)

from foundation import mailer
from foundation.sunwi_settings import sunwi_settings


@register(Tags.security, deploy=True)
def signing_up_has_its_mails(**_: Any) -> list[CheckMessage]:
    """Warn if SIGN_UP is open but no mail is sent: signing up needs a mailed link."""
    if sunwi_settings.SIGN_UP != "open" or mailer.is_sent():
        return []
    hint = "Set EMAIL_URL, or SIGN_UP=invitation, where links are handed over."
    return [Warning("SIGN_UP is open, and no e-mails are sent: nobody can sign up.", hint=hint, id="sunwi.W002")]
