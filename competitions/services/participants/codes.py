"""Short codes for joining a competition or a team."""

import secrets

LETTERS = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"  # without characters that look alike
LENGTH = 8


def new_code() -> str:
    """Return a random code, one of 8 × 10^11: unguessable because attempts are rate-limited."""
    return "".join(secrets.choice(LETTERS) for _ in range(LENGTH))


def same_code(wanted: str, given: str) -> bool:
    """Whether two codes are equal, ignoring case and surrounding blanks; in constant time."""
    one, other = (text.strip().casefold().encode(errors="surrogatepass") for text in (wanted, given))
    return secrets.compare_digest(one, other)
