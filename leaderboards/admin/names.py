"""Names and texts that staff type, refused as the API refuses them."""

from django.core.exceptions import ValidationError

from leaderboards.core.names import refusal_of
from leaderboards.refusals import translated


def clean_name(text: str) -> None:
    """Raise ``ValidationError`` where people may not be shown ``text`` as a name."""
    _refuse(refusal_of(text))


def clean_lines(text: str) -> None:
    """The same of a text that may have several lines."""
    _refuse(refusal_of(text, lines=True))


def _refuse(why: str | None) -> None:
    if why is not None:
        raise ValidationError(translated(why))
