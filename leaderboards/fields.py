"""A text column that compares byte by byte, as Redis does, on every database."""

from typing import Any, TypeVar

from django.db.backends.base.base import BaseDatabaseWrapper

from foundation.generics import CharField

_Set = TypeVar("_Set")
_Get = TypeVar("_Get")

_BYTE_ORDER = {"postgresql": "C", "sqlite": "BINARY"}


class ByteOrderedCharField(CharField[_Set, _Get]):
    """A CharField whose ``<`` and ORDER BY compare UTF-8 bytes, whatever the database's collation is."""

    def db_parameters(self, connection: BaseDatabaseWrapper) -> dict[str, Any]:
        """Return the column's type with this database's collation for byte order."""
        return {**super().db_parameters(connection), "collation": _BYTE_ORDER.get(connection.vendor)}
