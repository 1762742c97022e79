"""Rate limits on guessing second factors: codes of the app, recovery codes, and passkeys after a password."""

from foundation.throttling.rate_limit import throttle
from foundation.users import User


def throttle_second_factor(user: User, on_known_device: bool = False) -> None:
    """Count a try before a code is checked. Raises ``RateLimited``.

    The account's known devices share a separate limit, so that a thief who has only the password cannot lock the owner
    out there.
    """
    who = f"known devices of {user.pk}" if on_known_device else str(user.pk)
    throttle("second_factor", who)
    throttle("login_day", f"second factor of {who}")
