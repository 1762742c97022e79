"""Who may have an account, and how staff sign in, from the environment.

With TLS, which is how a site is run for others, staff need a second factor unless the setting says otherwise; the demo
on loopback has neither. Nobody is locked out by it: who has none is shown how to set one up as they sign in.
"""

from typing import Any

import environ
from django.core.exceptions import ImproperlyConfigured

from accounts.core.staff_sessions import StaffSession


def accounts(env: environ.Env, https: bool) -> dict[str, Any]:
    """The settings. Raises ``ImproperlyConfigured`` for a word that none of them knows."""
    hours, idle = env.float("STAFF_SESSION_HOURS", default=12), env.float("STAFF_IDLE_MINUTES", default=60)
    if hours <= 0 or idle < 0:
        raise ImproperlyConfigured("STAFF_SESSION_HOURS is more than 0, STAFF_IDLE_MINUTES 0 (no limit) or more.")
    return {
        "AUTHENTICATION_BACKENDS": ["foundation.login.LoginBrake", "django.contrib.auth.backends.ModelBackend"],
        "AUTH_PASSWORD_VALIDATORS": [
            {"NAME": f"django.contrib.auth.password_validation.{name}"}
            for name in (
                "UserAttributeSimilarityValidator",
                "MinimumLengthValidator",
                "CommonPasswordValidator",
                "NumericPasswordValidator",
            )
        ],
        "LOGIN_URL": "login",
        "LOGIN_REDIRECT_URL": "/",
        "LOGOUT_REDIRECT_URL": "/",
        "PASSWORD_RESET_TIMEOUT": 3600,
        "DEVICE_COOKIE_NAME": "__Host-device" if https else "device",
        "STAFF_SECOND_FACTOR": _one_of(env, "STAFF_SECOND_FACTOR", ("off", "required"), "required" if https else "off"),
        "STAFF_SESSION": StaffSession(hours, idle),
        "SIGN_UP": _one_of(env, "SIGN_UP", ("off", "invitation", "open"), "off"),
    }


def _one_of(env: environ.Env, name: str, words: tuple[str, ...], default: str) -> str:
    word: str = env.str(name, default=default)
    if word not in words:
        raise ImproperlyConfigured(f"{name} is one of: {', '.join(words)}; got {word!r}.")
    return word
