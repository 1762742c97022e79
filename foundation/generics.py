"""Django's classes that are generic for type checkers alone: ``ModelAdmin[Board]`` as a base class.

At run time Django does not let them be subscripted, and an app must not patch the Django of the project that it is
installed in. What this module gives out says its type to a type checker, and is Django's own class at run time. They
are imported when they are asked for, because a worker loads neither forms nor the admin.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from django.contrib.admin import ModelAdmin, TabularInline
    from django.contrib.auth.admin import UserAdmin
    from django.contrib.auth.forms import UserCreationForm
    from django.core.paginator import Paginator
    from django.db.models import CharField
    from django.forms import BaseInlineFormSet, ModelForm

    class Subscriptable:
        """A base of our own generic subclasses of Django's classes."""

else:
    _MODULES = {
        "BaseInlineFormSet": "django.forms",
        "CharField": "django.db.models",
        "ModelAdmin": "django.contrib.admin",
        "ModelForm": "django.forms",
        "Paginator": "django.core.paginator",
        "TabularInline": "django.contrib.admin",
        "UserAdmin": "django.contrib.auth.admin",
        "UserCreationForm": "django.contrib.auth.forms",
    }

    class _Unparametrized:
        """``[...]`` gives Django's class itself."""

        def __init__(self, name: str) -> None:
            self._name = name

        def __getitem__(self, _parameters: Any) -> type:
            return getattr(import_module(_MODULES[self._name]), self._name)

    def __getattr__(name: str) -> _Unparametrized:
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return _Unparametrized(name)

    class Subscriptable:
        """A base of our own generic subclasses of Django's classes: ``[...]`` gives the subclass itself."""

        def __class_getitem__(cls, _parameters: Any) -> type:
            return cls


__all__ = [
    "BaseInlineFormSet", "CharField", "ModelAdmin", "ModelForm", "Paginator", "Subscriptable", "TabularInline",
    "UserAdmin", "UserCreationForm",
]  # fmt: skip  # as a table
