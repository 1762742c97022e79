"""The accounts of the project, of whatever model ``AUTH_USER_MODEL`` names.

``User`` is for annotations and ``isinstance`` alone: a type checker takes it for Django's own model, and at run time it
is the base of every user model. Rows come from ``users()``, which asks the model of the project. What a model must have
is checked by ``foundation/monitoring/user_model_check.py``.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from django.conf import settings
from django.contrib.auth import get_user_model
from django.contrib.auth.base_user import AbstractBaseUser

if TYPE_CHECKING:
    from django.contrib.auth.models import User, UserManager
    from django.db.models import Field
else:
    User = AbstractBaseUser

UserKey: TypeAlias = Any  # a primary key: a whole number, a UUID or a text, as the model has it

EMAIL = "email"
__all__ = [
    "EMAIL", "User", "UserKey", "column_of", "email_of", "find_by_name", "has_djangos_users", "key_in_json",
    "name_given", "name_of", "signs_in_by_email", "user_label", "user_model", "users",
]  # fmt: skip  # as a table

LONGEST_NAME = 150  # characters of a name in the audit log and in mails; longer ones are cut there


def users() -> "UserManager[User]":
    """The default manager of the project's accounts."""
    return user_model()._default_manager


def user_model() -> type[User]:
    """The project's model of accounts."""
    return get_user_model()


def column_of(model: type[User], name: str) -> "Field[Any, Any]":
    """The column ``name`` of a user model. Raises ``FieldDoesNotExist``."""
    return cast("Field[Any, Any]", model._meta.get_field(name))


def has_djangos_users() -> bool:
    """Whether the accounts are Django's own (``auth.User``)."""
    return settings.AUTH_USER_MODEL.lower() == "auth.user"


def user_label() -> str:
    """The model's label in lower case, such as ``auth.user``, as permissions and audit subjects name it."""
    return user_model()._meta.label_lower


def signs_in_by_email() -> bool:
    """Whether the name to sign in with is the e-mail address."""
    return user_model().USERNAME_FIELD == EMAIL


def find_by_name(name: str) -> User | None:
    """The account that signs in with ``name``, found as signing in finds it; None if there is none."""
    if "\0" in name:  # PostgreSQL takes no such text
        return None
    try:
        return users().get_by_natural_key(name)
    except user_model().DoesNotExist:
        return None


def name_given(credentials: Mapping[str, Any]) -> str:
    """The account's name among the credentials of ``authenticate``; empty if there is none.

    It may be called ``username``, which Django's own form says, or as the model's field is called.
    """
    names = ("username", user_model().USERNAME_FIELD, EMAIL)
    return next((str(credentials[name]) for name in names if credentials.get(name) is not None), "")


def name_of(user: AbstractBaseUser) -> str:
    """The name that the account signs in with, cut at ``LONGEST_NAME`` characters."""
    return str(user.get_username() or "")[:LONGEST_NAME]


def email_of(user: User) -> str:
    """The account's e-mail address; empty if it has none, also where the model stores NULL then."""
    return user.email or ""


def key_in_json(key: UserKey) -> int | str:
    """A primary key in sessions, signed links and JSON: numbers stay, everything else becomes a text."""
    return key if isinstance(key, int) else str(key)
