"""The brake on guessing second factors: codes of the app and for recovery, and passkeys after a password."""

from django.contrib.auth.models import User

from foundation.throttling.rate_limit import throttle


def throttle_second_factor(user: User, on_known_device: bool = False) -> None:
    """Count a try before a code is looked at. Raises ``RateLimited``.

    The account's known devices have windows of their own, together: who has stolen the password alone knows no such
    device, and keeps nobody there from their codes.
    """
    who = f"known devices of {user.pk}" if on_known_device else str(user.pk)
    throttle("second_factor", who)
    throttle("login_day", f"second factor of {who}")
