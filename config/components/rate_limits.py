"""The setting RATE_LIMITS from the environment: "requests/seconds" in a sliding window, "" or "0" for no limit."""

import environ
from django.core.exceptions import ImproperlyConfigured

from foundation.throttling.limits import Limit, read_limit

VARIABLES = {
    "write": ("SUBMIT_LIMIT", "50000/10"),  # writing requests, for each key
    "read": ("READ_LIMIT", "50000/10"),  # reads of the API, for each key or client address
    "page": ("PAGE_LIMIT", "5000/10"),  # pages, for each client address
    "login": ("LOGIN_LIMIT", "10/300"),  # passwords tried, for each account from one address
    "login_address": ("LOGIN_ADDRESS_LIMIT", "100/300"),  # passwords tried from one address, for all accounts
    "login_account": (
        "LOGIN_ACCOUNT_LIMIT",
        "30/3600",
    ),  # for each account over all addresses; own limit on known devices
    "login_day": ("LOGIN_DAY_LIMIT", "100/86400"),  # the same for a day; and codes of second factors
    "second_factor": ("SECOND_FACTOR_LIMIT", "5/300"),  # codes tried, for each account
    "account_mail": ("ACCOUNT_MAIL_LIMIT", "3/3600"),  # mails of one kind about accounts, to one address
    "account_mail_address": ("ACCOUNT_MAIL_ADDRESS_LIMIT", "20/3600"),  # the same, requested from one address
    "link": ("LINK_LIMIT", "10/60"),  # link codes tried, for each user
    "join": ("JOIN_LIMIT", "10/60"),  # join codes tried, for each player
    "like": ("LIKE_LIMIT", "60/10"),  # likes given and taken back on pages, for each user
    "comment": ("COMMENT_LIMIT", "5/60"),  # comments written or changed, for each user
    "own_data": ("OWN_DATA_LIMIT", "10/3600"),  # exports of one's own data, for each user
}


def limits(env: environ.Env) -> dict[str, Limit | None]:
    """The limit of each rule. Raises ``ImproperlyConfigured`` if one cannot be parsed."""
    return {rule: _limit(env, name, default) for rule, (name, default) in VARIABLES.items()}


def _limit(env: environ.Env, name: str, default: str) -> Limit | None:
    try:
        return read_limit(env.str(name, default=default))
    except ValueError as error:
        raise ImproperlyConfigured(f"{name}: {error}") from error
