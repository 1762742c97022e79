"""The format of recovery codes: sixteen unambiguous letters and digits, in groups of four."""

import hashlib
import secrets

ALPHABET = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"
LENGTH = 16  # 80 bits: a fast hash of it is enough
CODE_COUNT = 10


def draw() -> str:
    """Generate a code in the form in which it is shown: ``ABCD-EFGH-JKLM-NPQR``."""
    letters = "".join(secrets.choice(ALPHABET) for _ in range(LENGTH))
    return "-".join(letters[start : start + 4] for start in range(0, LENGTH, 4))


def hashed(code: str) -> str:
    """Hash a code for storage. Spaces, dashes and lower case do not matter."""
    return hashlib.sha256("".join(each for each in code.upper() if each.isalnum()).encode()).hexdigest()
