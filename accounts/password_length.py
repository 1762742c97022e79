"""The most characters that a new password has: ASVS asks for a limit of at least 64 and at most 128 (2.1.2)."""

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _


class MaximumLengthValidator:
    """One of Django's AUTH_PASSWORD_VALIDATORS. Who has a longer one from before signs in with it as ever."""

    def __init__(self, most: int) -> None:
        self.most = most

    def validate(self, password: str, user: object = None) -> None:  # noqa: ARG002 (Django says whose it is)
        """Raises ``ValidationError`` over ``most`` characters."""
        if len(password) > self.most:
            raise ValidationError(self.get_help_text(), code="password_too_long")

    def get_help_text(self) -> str:
        """What forms say of it."""
        return _("Your password has at most %(most)d characters.") % {"most": self.most}
