"""The ids that erased players get in place of their own."""

import re

ERASED_PREFIX = "erased-"  # and their number


def is_id_of_erased(external_id: str, number: int) -> bool:
    """Whether the id of the player with this internal number is one that an erasure gave them."""
    return re.fullmatch(rf"{ERASED_PREFIX}{number}(-\d+)?", external_id) is not None
