"""Validators for names and texts in forms, with the rules of the API."""

from django.core.exceptions import ValidationError

from foundation.translate import translated
from leaderboards.core.input.names import unprintable_reason


def validate_name(text: str) -> None:
    """Raise ``ValidationError`` if ``text`` has characters that a name must not have."""
    _refuse(unprintable_reason(text))


def validate_text(text: str) -> None:
    """Raise ``ValidationError`` if ``text``, which may have several lines, has forbidden characters."""
    _refuse(unprintable_reason(text, lines=True))


def _refuse(reason: str | None) -> None:
    if reason is not None:
        raise ValidationError(translated(reason))
