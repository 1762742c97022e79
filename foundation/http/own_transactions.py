"""Views whose services begin and commit their own transactions: none of the whole request may be around them.

A project may set ``ATOMIC_REQUESTS``. Inside such a transaction a service's commit would not be one: the leader of a
group commit would answer other requests before their scores are committed, and ranks would be read before the publish.

That holds for each database of the project, not only for ours: a transaction around a request opens a connection, and
one database of the project that is away would take all our pages with it. The trap: Django's ``non_atomic_requests``
without an alias means ``default`` alone.
"""

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from django.db import connections, transaction
from django.http.response import HttpResponseBase
from django.urls import URLPattern, URLResolver

View = TypeVar("View", bound=Callable[..., HttpResponseBase])


def own_transactions(patterns: Iterable[Any]) -> None:
    """Mark the views of ``patterns`` (Django's patterns and resolvers): ``ATOMIC_REQUESTS`` does not apply to them."""
    for pattern in patterns:
        if isinstance(pattern, URLResolver):
            own_transactions(pattern.url_patterns)
        elif isinstance(pattern, URLPattern):
            pattern.callback = owns_transactions(pattern.callback)


def owns_transactions(view: View) -> View:
    """Mark one view, for each alias in ``DATABASES``."""
    for alias in connections:
        view = transaction.non_atomic_requests(using=alias)(view)
    return view
