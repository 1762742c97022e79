"""The reason that people give for an act that stays on record: asked for in one way, no matter where."""

from foundation.errors import Invalid

LONGEST_REASON = 300  # characters


class BadReason(Invalid):
    """An act wants a reason, and none was given, or one that is too long."""

    code = "bad_reason"


def is_reason(text: str) -> bool:
    """Whether this, without space around it, has 1 to 300 characters."""
    return 1 <= len(text.strip()) <= LONGEST_REASON


def reason_given(text: str) -> str:
    """The reason without space around it. Raises ``BadReason``."""
    if not is_reason(text):
        raise BadReason(f"Give a reason of 1 to {LONGEST_REASON} characters.")
    return text.strip()
