"""The setting RATE_LIMITS from the environment: "requests/seconds" in a sliding window, "" or "0" for no limit."""

import environ
from django.core.exceptions import ImproperlyConfigured

from foundation.conf import LIMITS
from foundation.throttling.limits import Limit, read_limit

VARIABLES = {
    "write": "SUBMIT_LIMIT",
    "read": "READ_LIMIT",
    "page": "PAGE_LIMIT",
    "login": "LOGIN_LIMIT",
    "login_address": "LOGIN_ADDRESS_LIMIT",
    "login_account": "LOGIN_ACCOUNT_LIMIT",
    "login_day": "LOGIN_DAY_LIMIT",
    "second_factor": "SECOND_FACTOR_LIMIT",
    "account_mail": "ACCOUNT_MAIL_LIMIT",
    "account_mail_address": "ACCOUNT_MAIL_ADDRESS_LIMIT",
    "link": "LINK_LIMIT",
    "join": "JOIN_LIMIT",
    "like": "LIKE_LIMIT",
    "follow": "FOLLOW_LIMIT",
    "comment": "COMMENT_LIMIT",
    "profile": "PROFILE_LIMIT",
    "own_data": "OWN_DATA_LIMIT",
}


def limits(env: environ.Env) -> dict[str, Limit | None]:
    """The limit of each rule. Raises ``ImproperlyConfigured`` if one cannot be parsed."""
    return {rule: _limit(env, name, LIMITS[rule]) for rule, name in VARIABLES.items()}


def _limit(env: environ.Env, name: str, default: str) -> Limit | None:
    try:
        return read_limit(env.str(name, default=default))
    except ValueError as error:
        raise ImproperlyConfigured(f"{name}: {error}") from error
