"""How often who may do what, from the environment: requests/seconds within any such time, "" or "0" for no limit."""

import environ
from django.core.exceptions import ImproperlyConfigured

from foundation.limits import Limit, read_limit

VARIABLES = {
    "write": ("SUBMIT_LIMIT", "50000/10"),  # requests with a key that write, for each key
    "read": ("READ_LIMIT", "50000/10"),  # reads of the API, for each key or client address
    "page": ("PAGE_LIMIT", "5000/10"),  # pages, for each client address
    "login": ("LOGIN_LIMIT", "10/300"),  # passwords tried, for each account from one address
    "login_address": ("LOGIN_ADDRESS_LIMIT", "100/300"),  # passwords tried from one address, whosever they are
    "link": ("LINK_LIMIT", "10/60"),  # link codes tried, for each user
    "join": ("JOIN_LIMIT", "10/60"),  # join codes tried, for each player
    "like": ("LIKE_LIMIT", "60/10"),  # likes given and taken back on pages, for each user
    "comment": ("COMMENT_LIMIT", "5/60"),  # comments written or changed, for each user
}


def limits(env: environ.Env) -> dict[str, Limit | None]:
    """The limit of each brake. Raises ``ImproperlyConfigured`` where one cannot be read."""
    return {brake: _limit(env, name, default) for brake, (name, default) in VARIABLES.items()}


def _limit(env: environ.Env, name: str, default: str) -> Limit | None:
    try:
        return read_limit(env.str(name, default=default))
    except ValueError as error:
        raise ImproperlyConfigured(f"{name}: {error}") from error
