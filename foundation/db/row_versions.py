"""Versions of rows, by which a cache sees that a row has not changed: comparing them costs a quarter of reading it."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from django.db import connection

MAX_COMPARED = 2  # keys whose versions are compared; more keys are simply read


def row_version_loader(
    table: str, *columns: str, of: Sequence[str] = ("xmin",)
) -> Callable[[Collection[Any]], Mapping[Any, str]]:
    """Make a function that reads row versions: PostgreSQL's ``xmin``, the transaction that wrote the row last.

    Rows are found by ``columns``; a key is a value, or a tuple if there are several columns. If ``table`` joins two
    tables, ``of`` names both ``xmin``. On SQLite the function returns nothing.
    """
    condition = " AND ".join(f"{column} = %s" for column in columns)
    version = " || ' ' || ".join(f"{xmin}::text" for xmin in of)
    query = f"SELECT {version} FROM {table} WHERE {condition}"  # noqa: S608 - names of our own tables and columns

    def stamps(keys: Collection[Any]) -> Mapping[Any, str]:
        if connection.vendor != "postgresql" or len(keys) > MAX_COMPARED:
            return {}
        versions = {}
        with connection.cursor() as cursor:
            for key in keys:
                cursor.execute(query, key if isinstance(key, tuple) else [key])
                if row := cursor.fetchone():
                    versions[key] = row[0]
        return versions

    return stamps
