"""The form of recovery codes: sixteen letters and digits that nobody confuses, in groups of four."""

import hashlib
import secrets

ALPHABET = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"
LENGTH = 16  # 80 bits: a fast hash of it is enough
CODE_COUNT = 10


def draw() -> str:
    """A new code, as it is shown: ``ABCD-EFGH-JKLM-NPQR``."""
    letters = "".join(secrets.choice(ALPHABET) for _ in range(LENGTH))
    return "-".join(letters[nth : nth + 4] for nth in range(0, LENGTH, 4))


def hashed(code: str) -> str:
    """What is stored of a code, however it was typed: blanks, dashes and small letters do not matter."""
    return hashlib.sha256("".join(each for each in code.upper() if each.isalnum()).encode()).hexdigest()
