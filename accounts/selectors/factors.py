"""The second factors of an account."""

from accounts.models import AuthenticatorApp, Passkey
from foundation.sunwi_settings import sunwi_settings
from foundation.users import User


def has_app(user: User) -> bool:
    """Whether an authenticator app is set up."""
    return AuthenticatorApp.objects.filter(user=user).exists()


def has_passkey(user: User) -> bool:
    """Whether the account has a passkey."""
    return Passkey.objects.filter(user=user).exists()


def has_factor(user: User) -> bool:
    """Whether signing in needs more than a password. Recovery codes alone do not count."""
    return has_app(user) or has_passkey(user)


def count_factors(user: User) -> int:
    """The number of second factors: the app and each passkey."""
    return has_app(user) + Passkey.objects.filter(user=user).count()


def must_have_factor(user: User) -> bool:
    """Whether the account is staff and the site requires a second factor of staff (``STAFF_SECOND_FACTOR``)."""
    return sunwi_settings.STAFF_SECOND_FACTOR == "required" and (user.is_staff or user.is_superuser)
