"""The maximum length of new passwords. ASVS 2.1.2 asks for a limit between 64 and 128 characters."""

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _


class MaximumLengthValidator:
    """A password validator for AUTH_PASSWORD_VALIDATORS. Longer passwords from before remain valid for signing in."""

    def __init__(self, most: int) -> None:
        self.most = most

    def validate(self, password: str, user: object = None) -> None:  # noqa: ARG002 - Django passes it
        """Raise ``ValidationError`` for more than ``most`` characters."""
        if len(password) > self.most:
            raise ValidationError(self.get_help_text(), code="password_too_long")

    def get_help_text(self) -> str:
        """The text in forms."""
        return _("Your password has at most %(most)d characters.") % {"most": self.most}
