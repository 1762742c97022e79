"""Codes that open a door, for joining a competition or a team: short words that people pass on."""

import secrets

LETTERS = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"  # none that looks like another
LENGTH = 8


def new_code() -> str:
    """A code that nobody guesses while tries are counted: one of 8 × 10^11."""
    return "".join(secrets.choice(LETTERS) for _ in range(LENGTH))


def same_code(wanted: str, given: str) -> bool:
    """Whether the codes are the same to people, who type capitals and blanks as they come."""
    one, other = (text.strip().casefold().encode(errors="surrogatepass") for text in (wanted, given))
    return secrets.compare_digest(one, other)
