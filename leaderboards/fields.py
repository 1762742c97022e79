"""A text column that compares byte by byte, as Redis does, on every database."""

from typing import Any, TypeVar

from django.db import models
from django.db.backends.base.base import BaseDatabaseWrapper

_Set = TypeVar("_Set")
_Get = TypeVar("_Get")

_BYTE_ORDER = {"postgresql": "C", "sqlite": "BINARY"}


class ByteOrderedCharField(models.CharField[_Set, _Get]):
    """A CharField whose ``<`` and ORDER BY follow the bytes of UTF-8, whatever the database's own collation is."""

    def db_parameters(self, connection: BaseDatabaseWrapper) -> dict[str, Any]:
        """The column's type, with the collation that this database calls byte order."""
        return {**super().db_parameters(connection), "collation": _BYTE_ORDER.get(connection.vendor)}
