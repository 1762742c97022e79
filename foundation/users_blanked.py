"""Emptying the row of a deleted account that has to stay, because other rows refer to it."""

import secrets
from typing import Any

from django.db.models import CharField, EmailField, Field, TextField

from foundation.users import User


def blank(user: User) -> None:
    """Empty every column that can say who it was, without saving, and let nobody sign in.

    That is each text and each column that may be empty, also of a project's own; what must be unique becomes
    ``deleted-<key>``. Other columns that must not be empty, such as a date, stay, and so do stored files.
    """
    for column in user._meta.concrete_fields:
        if not column.primary_key and not getattr(column.remote_field, "parent_link", False):
            _empty(user, column)
    user.is_active = False
    user.set_unusable_password()


def _empty(user: User, column: "Field[Any, Any]") -> None:
    is_name = column.name == user.USERNAME_FIELD
    if column.null and not is_name:
        setattr(user, column.attname, None)
    elif isinstance(column, CharField | TextField):
        setattr(user, column.attname, _placeholder(user, column) if column.unique or is_name else column.get_default())
    elif column.blank and (usual := column.get_default()) is not None:
        setattr(user, column.attname, usual)


def _placeholder(user: User, column: "Field[Any, Any]") -> str:
    """A text that no other account has in this column."""
    end = "@deleted.invalid" if isinstance(column, EmailField) else ""
    text = f"deleted-{user.pk}{end}"
    return text if len(text) <= (column.max_length or len(text)) else secrets.token_hex(64)[: column.max_length]
