"""Set ``request.user``; it is anonymous if the session is not sufficient, so that views need no checks of their own.

- Staff are anonymous once their session is over, and if it lacks a second factor that is set up or required.
- Players are anonymous if they send a form in a session from before their first second factor. For pages that they
  open, ``sign_in_required`` checks that, so that public pages need no query.

``request.must_set_up_factor`` is the member of staff who must set up a second factor first; the pages of signing in
and of second factors use it. Nothing is read until ``request.user`` is used. The trap: polling pages do not keep a
session alive.
"""

from functools import partial

from asgiref.sync import sync_to_async
from django.contrib.auth import get_user
from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject

from accounts import session_marks
from accounts.core.staff_sessions import StaffSession
from accounts.selectors.factors import has_factor, must_have_factor
from foundation import clock
from foundation.http.page_middleware import PageLogins
from foundation.sunwi_settings import sunwi_settings
from foundation.users import User

POLLS = "fragment"  # the query parameter of polling pages
SAFE = ("GET", "HEAD", "OPTIONS", "TRACE")


class AccountLogins(PageLogins):
    """Django's authentication middleware, with the rules above."""

    def process_request(self, request: HttpRequest) -> None:
        """Set ``request.user`` and ``request.auser``, which are evaluated when first used."""
        request.must_set_up_factor = None  # type: ignore[attr-defined]  # our own attribute of requests
        request.user = SimpleLazyObject(lambda: _find_user(request))  # type: ignore[assignment]  # a lazy object acts as a user
        request.auser = partial(_find_user_async, request)  # type: ignore[assignment]  # a lazy object acts as a user


async def _find_user_async(request: HttpRequest) -> AbstractBaseUser | AnonymousUser:
    return await sync_to_async(lambda: request.user)()


def owner_of(request: HttpRequest) -> User | None:
    """The account that is signed in, or that must set up a second factor before anything else."""
    user = request.user if request.user.is_authenticated else getattr(request, "must_set_up_factor", None)
    return user if isinstance(user, User) else None


def is_outdated(request: HttpRequest, user: User) -> bool:
    """Whether the account has a second factor that this session was not signed in with.

    Such a session may belong to a thief who had the password.
    """
    return not session_marks.has_factor(request.session) and has_factor(user)


def _find_user(request: HttpRequest) -> AbstractBaseUser | AnonymousUser:
    user, session = get_user(request), request.session
    if not (isinstance(user, User) and (user.is_staff or user.is_superuser)):
        if isinstance(user, User) and request.method not in SAFE and is_outdated(request, user):
            session.flush()
            return AnonymousUser()
        return user
    now = clock.now().timestamp()
    limits = StaffSession(sunwi_settings.STAFF_SESSION_HOURS, sunwi_settings.STAFF_IDLE_MINUTES)
    is_over = limits.is_over(session.get(session_marks.SIGNED_IN), session.get(session_marks.SEEN), now)
    if is_over or is_outdated(request, user):
        session.flush()
        return AnonymousUser()
    if request.method != "HEAD" and POLLS not in request.GET:
        session_marks.mark_seen(session, now)
    if must_have_factor(user) and not session_marks.has_factor(session):
        request.must_set_up_factor = user  # type: ignore[attr-defined]  # our own attribute of requests
        return AnonymousUser()
    return user
