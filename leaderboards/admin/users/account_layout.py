"""What the admin of accounts shows: as Django's own, of the user model that the project has.

A model may sign in by another field than ``username``, lack columns such as ``first_name``, or require more.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from django.db.models import EmailField

from foundation.users import column_of, user_model
from leaderboards.admin.users.owner_mails import RIGHTS

_TYPED = ("usable_password", "password1", "password2")  # fields of forms, not of the model
_KEPT = ("password", "is_active", "last_login", "date_joined", *RIGHTS)  # nothing personal


def columns(declared: Any) -> tuple[str, ...]:
    """Return those of Django's ``declared`` fields that the model has, with its own field in place of ``username``."""
    known = _columns_of_model()
    names = (user_model().USERNAME_FIELD if name == "username" else name for name in declared)
    return tuple(dict.fromkeys(name for name in names if name in known or name in _TYPED))


def fieldsets(declared: Any) -> Any:
    """Return the form of an account: Django's, and what the model requires beside that."""
    there = {name for _, options in declared for name in options["fields"]}
    return tuple(_as_the_model(declared, [name for name in _required() if name not in there]))


def add_fieldsets(declared: Any) -> Any:
    """Return the form of a new account: Django's, and what the model requires."""
    return tuple(_as_the_model(declared, _required()))


def personal_columns() -> list[str]:
    """Return the columns that are forgotten in the audit log once an account is deleted.

    All but rights, dates and the name to sign in with, unless that is an e-mail address.
    """
    kept = {user_model()._meta.pk.name, *_KEPT, *([] if name_is_personal() else [user_model().USERNAME_FIELD])}
    return sorted(_columns_of_model() - kept)


def name_is_personal() -> bool:
    """Return whether accounts sign in by an e-mail address, which says more than a chosen name."""
    return isinstance(column_of(user_model(), user_model().USERNAME_FIELD), EmailField)


def _required() -> list[str]:
    """Return what a new account cannot be without. Django's own model names the address, and its form does not."""
    model, known = user_model(), _columns_of_model()
    return [name for name in model.REQUIRED_FIELDS if name in known and not column_of(model, name).blank]


def _as_the_model(declared: Any, required: Iterable[str]) -> Iterator[tuple[Any, dict[str, Any]]]:
    shown: set[str] = set()
    for title, options in declared:
        named = (*options["fields"][:1], *required, *options["fields"][1:]) if title is None else options["fields"]
        fresh = tuple(name for name in columns(named) if name not in shown)
        shown.update(fresh)
        if fresh:
            yield title, {**options, "fields": fresh}


def _columns_of_model() -> set[str]:
    options = user_model()._meta
    return {field.name for field in (*options.concrete_fields, *options.many_to_many)}
