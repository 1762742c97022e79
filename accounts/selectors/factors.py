"""Which second factors an account has."""

from django.conf import settings
from django.contrib.auth.models import User

from accounts.models import AuthenticatorApp, Passkey


def has_app(user: User) -> bool:
    """Whether an authenticator app is set up."""
    return AuthenticatorApp.objects.filter(user=user).exists()


def has_passkey(user: User) -> bool:
    """Whether they have a passkey."""
    return Passkey.objects.filter(user=user).exists()


def has_factor(user: User) -> bool:
    """Whether signing in asks for more than a password. Recovery codes alone are none."""
    return has_app(user) or has_passkey(user)


def count_factors(user: User) -> int:
    """How many they could sign in with: the app is one, and so is each passkey."""
    return has_app(user) + Passkey.objects.filter(user=user).count()


def must_have_factor(user: User) -> bool:
    """Whether they are staff of a site that requires one of staff (``STAFF_SECOND_FACTOR``)."""
    return settings.STAFF_SECOND_FACTOR == "required" and (user.is_staff or user.is_superuser)
