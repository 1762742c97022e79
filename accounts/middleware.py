"""Who a request comes from, for every door alike: staff whose session is over, or lacks a second factor where one is
required or theirs, are nobody. So the admin, pages and all that ask for ``request.user`` need to know nothing of it.

Players who send something in a session from before their first factor are nobody too. What they open is judged by
``sign_in_required``, so that pages for everybody ask SQL nothing more.

``request.must_set_up_factor`` is the member of staff who is to set one up: the pages of signing in and of second
factors ask it.
It costs nothing where nobody asks who it is. The trap: pages that poll by themselves keep no session alive.
"""

from functools import partial

from asgiref.sync import sync_to_async
from django.conf import settings
from django.contrib.auth import get_user
from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser, User
from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject

from accounts import session_marks
from accounts.selectors.factors import has_factor, must_have_factor
from foundation import clock
from foundation.http.page_middleware import PageLogins

POLLS = "fragment"  # of pages that look for news by themselves
SAFE = ("GET", "HEAD", "OPTIONS", "TRACE")


class AccountLogins(PageLogins):
    """Django's own, and the rules for staff."""

    def process_request(self, request: HttpRequest) -> None:
        """``request.user`` is judged when it is first asked for."""
        request.must_set_up_factor = None  # type: ignore[attr-defined]  # ours
        request.user = SimpleLazyObject(lambda: _judged(request))  # type: ignore[assignment]  # it acts as a user
        request.auser = partial(_account_of, request)  # type: ignore[assignment]  # it acts as a user


async def _account_of(request: HttpRequest) -> AbstractBaseUser | AnonymousUser:
    return await sync_to_async(lambda: request.user)()


def owner_of(request: HttpRequest) -> User | None:
    """Who is signed in, also where they may do nothing yet but set up a second factor."""
    user = request.user if request.user.is_authenticated else getattr(request, "must_set_up_factor", None)
    return user if isinstance(user, User) else None


def is_outdated(request: HttpRequest, user: User) -> bool:
    """Whether the session is from before its account had a second factor: it has shown none, and who signs in anew is
    asked for one. It may be a thief's, who had the password."""
    return not session_marks.has_factor(request.session) and has_factor(user)


def _judged(request: HttpRequest) -> AbstractBaseUser | AnonymousUser:
    user, session = get_user(request), request.session
    if not (isinstance(user, User) and (user.is_staff or user.is_superuser)):
        if isinstance(user, User) and request.method not in SAFE and is_outdated(request, user):
            session.flush()
            return AnonymousUser()
        return user
    now = clock.now().timestamp()
    is_over = settings.STAFF_SESSION.is_over(session.get(session_marks.SIGNED_IN), session.get(session_marks.SEEN), now)
    if is_over or is_outdated(request, user):
        session.flush()
        return AnonymousUser()
    if request.method != "HEAD" and POLLS not in request.GET:
        session_marks.mark_seen(session, now)
    if must_have_factor(user) and not session_marks.has_factor(session):
        request.must_set_up_factor = user  # type: ignore[attr-defined]  # ours
        return AnonymousUser()
    return user
