"""User models of other projects, made apart from our own app registry."""

import uuid
from typing import Any

from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.contrib.auth.models import PermissionsMixin
from django.db import models
from django.test.utils import isolate_apps


class Manager(BaseUserManager[Any]):
    """A manager that makes accounts by the names of their columns."""

    def create_user(self, password: str, **columns: Any) -> Any:
        return columns, password


class ShyManager(BaseUserManager[Any]):
    """One that takes nothing but an address."""

    def create_user(self, email: str, password: str) -> Any:
        return email, password


def member(*, lacks: tuple[str, ...] = (), bases: tuple[type, ...] | None = None, **changed: Any) -> Any:
    """A user model that signs in by e-mail, with these fields or attributes in place of the usual ones."""
    with isolate_apps("tests.foundation"):
        attributes: dict[str, Any] = {
            "id": models.UUIDField(primary_key=True, default=uuid.uuid4),
            "email": models.EmailField(unique=True),
            "full_name": models.CharField(max_length=80),
            "phone": models.CharField(max_length=12, unique=True),
            "born": models.DateField(null=True),
            "notes": models.JSONField(default=dict, blank=True),
            "joined": models.DateField(default="2026-01-01"),
            "is_staff": models.BooleanField(default=False),
            "is_active": models.BooleanField(default=True),
            "objects": Manager(),
            "USERNAME_FIELD": "email",
            "REQUIRED_FIELDS": ["full_name"],
            "Meta": type("Meta", (), {"app_label": "people"}),
            "__module__": __name__,
        }
        chosen = {name: value for name, value in {**attributes, **changed}.items() if name not in lacks}
        return type("Member", bases or (AbstractBaseUser, PermissionsMixin), chosen)
