"""Names and texts that staff type, refused as the API refuses them."""

from django.core.exceptions import ValidationError

from leaderboards.core.input.names import unprintable_reason
from leaderboards.refusals import translated


def validate_name(text: str) -> None:
    """Raise ``ValidationError`` where people may not be shown ``text`` as a name."""
    _refuse(unprintable_reason(text))


def validate_text(text: str) -> None:
    """The same of a text that may have several lines."""
    _refuse(unprintable_reason(text, lines=True))


def _refuse(why: str | None) -> None:
    if why is not None:
        raise ValidationError(translated(why))
