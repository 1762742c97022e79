"""Settings of accounts from the environment: signing up, second factors, sessions of staff.

With HTTPS staff need a second factor by default; without it, as in the demo on localhost, they do not. This locks
nobody out: staff without a factor set one up when they sign in.
"""

import environ
from django.core.exceptions import ImproperlyConfigured

BACKENDS = ["foundation.throttling.login.LoginThrottle", "django.contrib.auth.backends.ModelBackend"]
SHORTEST_PASSWORD, LONGEST_PASSWORD = 12, 128  # characters
_VALIDATOR = "django.contrib.auth.password_validation."
VALIDATORS = [
    {"NAME": f"{_VALIDATOR}UserAttributeSimilarityValidator"},
    {"NAME": f"{_VALIDATOR}MinimumLengthValidator", "OPTIONS": {"min_length": SHORTEST_PASSWORD}},
    {"NAME": "accounts.password_length.MaximumLengthValidator", "OPTIONS": {"most": LONGEST_PASSWORD}},
    {"NAME": f"{_VALIDATOR}CommonPasswordValidator"},
    {"NAME": f"{_VALIDATOR}NumericPasswordValidator"},
]


def second_factor(env: environ.Env, https: bool) -> str:
    """Read STAFF_SECOND_FACTOR, ``off`` or ``required``. Raises ``ImproperlyConfigured``."""
    return _one_of(env, "STAFF_SECOND_FACTOR", ("off", "required"), "required" if https else "off")


def sign_up(env: environ.Env) -> str:
    """Read SIGN_UP, ``off``, ``invitation`` or ``open``. Raises ``ImproperlyConfigured``."""
    return _one_of(env, "SIGN_UP", ("off", "invitation", "open"), "off")


def privacy_url(env: environ.Env) -> str:
    """Read PRIVACY_URL, the operators' privacy policy; may be empty. Raises ``ImproperlyConfigured``."""
    address: str = env.str("PRIVACY_URL", default="")
    if address and not address.startswith(("https://", "http://", "/")):
        raise ImproperlyConfigured(f"PRIVACY_URL begins with https://, or is a path of this site; got {address!r}.")
    return address


def staff_session(env: environ.Env) -> tuple[float, float]:
    """Read how long staff stay signed in: hours, and minutes without a request. Raises ``ImproperlyConfigured``."""
    hours, idle = env.float("STAFF_SESSION_HOURS", default=12), env.float("STAFF_IDLE_MINUTES", default=60)
    if not (0 < hours <= 24 * 14 and idle >= 0):
        raise ImproperlyConfigured(
            "STAFF_SESSION_HOURS is more than 0, up to 336 (two weeks); STAFF_IDLE_MINUTES is 0 (no limit) or more."
        )
    return hours, idle


def _one_of(env: environ.Env, name: str, words: tuple[str, ...], default: str) -> str:
    word: str = env.str(name, default=default)
    if word not in words:
        raise ImproperlyConfigured(f"{name} is one of: {', '.join(words)}; got {word!r}.")
    return word
