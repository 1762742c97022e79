"""The system check of the project's user model: it names what Sunwi needs of it and does not find (``sunwi.E014``).

Django's own model has all of it, and so has every model that extends ``AbstractUser``, unless it takes fields away.
"""

import inspect
from collections.abc import Iterator
from typing import Any

from django.core.checks import CheckMessage, Error, Tags, register
from django.db.models import CharField, Model, TextField

from foundation.audit.models import AuditSubject
from foundation.sunwi_settings import sunwi_settings
from foundation.users import EMAIL, User, column_of, user_model

FIELDS = ("password", EMAIL, "is_active", "is_staff", "is_superuser", "groups", "user_permissions")
_EXTEND = "Let it extend AbstractUser, or AbstractBaseUser and PermissionsMixin"


@register(Tags.models)
def user_model_suits(**_: Any) -> list[CheckMessage]:
    """Check that the model of ``AUTH_USER_MODEL`` has what Sunwi uses."""
    model = user_model()
    name = model._meta.label
    return [Error(f"{name} {fault}.", hint=hint, id="sunwi.E014") for fault, hint in faults(model)]


def faults(model: type[Model]) -> Iterator[tuple[str, str]]:
    """Yield what the user model lacks, as the rest of a sentence, and what to do about it."""
    if not issubclass(model, User):
        yield "does not extend AbstractBaseUser", f"{_EXTEND}."
        return
    fields = {field.name for field in (*model._meta.concrete_fields, *model._meta.many_to_many)}
    missing = [name for name in FIELDS if name not in fields]
    if missing:
        yield f"lacks {_listed(missing)}", f"{_EXTEND}; give it, as fields of the database: {_listed(missing)}."
        return
    yield from _faults_of_keys(model)
    yield from _faults_of_manager(model)


def _faults_of_keys(model: type[User]) -> Iterator[tuple[str, str]]:
    if not isinstance(column_of(model, model.USERNAME_FIELD), CharField | TextField):
        name = model.USERNAME_FIELD
        yield f"has no text in {name}, its USERNAME_FIELD", "Name a text field, such as email, in USERNAME_FIELD."
    key, most = model._meta.pk, AuditSubject._meta.get_field("key").max_length or 0
    if isinstance(key, CharField | TextField) and (key.max_length or most + 1) > most:
        yield (
            f"has a primary key, {key.name}, of more than {most} characters",
            f"Give it max_length={most} or less: the audit log names accounts by it.",
        )


def _faults_of_manager(model: type[User]) -> Iterator[tuple[str, str]]:
    manager = model._default_manager
    if not hasattr(manager, "get_by_natural_key"):
        yield "has a manager without get_by_natural_key", "Let its manager extend BaseUserManager."
    if sunwi_settings.SIGN_UP == "off":
        return
    names = dict.fromkeys((model.USERNAME_FIELD, *model.REQUIRED_FIELDS, EMAIL, "password"))
    related = [name for name in names if column_of(model, name).is_relation]
    if related:
        yield (
            f"requires {_listed(related)}, which people who sign up cannot choose",
            'Take it out of REQUIRED_FIELDS, or write "SIGN_UP": "off" in SUNWI.',
        )
    if not _takes(getattr(manager, "create_user", None), names):
        yield (
            f"has a manager without create_user({_listed(f'{name}=…' for name in names)})",
            'Give its manager such a method, as UserManager has one, or write "SIGN_UP": "off" in SUNWI.',
        )


def _takes(method: Any, names: Any) -> bool:
    """Whether it can be called with these names."""
    try:
        inspect.signature(method).bind(**dict.fromkeys(names))
    except TypeError:
        return False
    return True


def _listed(names: Any) -> str:
    return ", ".join(names)
