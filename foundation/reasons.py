"""Validating the reason that people give for an action in the audit log."""

from foundation.errors import Invalid
from foundation.messages import Message

LONGEST_REASON = 300  # characters


class BadReason(Invalid):
    """The action needs a reason, and it is missing or too long."""

    code = "bad_reason"


def is_reason(text: str) -> bool:
    """Whether the text, without surrounding space, has 1 to 300 characters."""
    return 1 <= len(text.strip()) <= LONGEST_REASON


def reason_given(text: str) -> str:
    """The reason without surrounding space. Raises ``BadReason``."""
    if not is_reason(text):
        raise BadReason(Message("Give a reason of 1 to %(most)s characters.", most=LONGEST_REASON))
    return text.strip()
