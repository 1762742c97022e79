"""The brake on guessing passwords: counted before one is looked at.

It counts for each account from each address, and more widely for each address, whosever passwords are tried from it.
It stands first among the authentication backends, so it covers the site's login and the admin's alike. A try that is
refused is not counted, so nobody is out for longer than the window; and who is elsewhere is never locked out.
"""

from django.http import HttpRequest

from foundation.client import client_of
from foundation.rate_limit import refuse_over


class LoginBrake:
    """A backend that knows nobody. Raises ``RateLimited``, which the middleware answers."""

    def authenticate(
        self, request: HttpRequest | None, username: str | None = None, password: str | None = None
    ) -> None:
        """Count a try; whose it is, the next backend says. Programs of our own have no request and no brake."""
        if request is not None and password is not None:
            address = client_of(request)
            refuse_over("login", f"{address} {username}")
            refuse_over("login_address", address)
