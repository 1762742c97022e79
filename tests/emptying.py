"""Emptying the database after a test that committed: rows are deleted where there are some, and periods' own tables
are dropped.

Django's own way truncates every table and then looks for content types and permissions that are missing, which takes
longer than most tests. These, and the groups, stay as the migrations left them. The trap: foreign keys are not looked
at meanwhile, which only a superuser may ask for; so this is for the tests' own server alone.
"""

from functools import cache

import psycopg
from django.db import connection

KEPT = {"django_migrations", "django_content_type", "auth_permission", "auth_group", "auth_group_permissions"}


def empty_tables() -> None:
    """Delete all rows but those of the kept tables. Sequences go on, as after Django's own flush."""
    connection.ensure_connection()
    with psycopg.Cursor(connection.connection) as cursor:
        cursor.execute(_filled(), prepare=True)  # to plan sixty looks takes ten times as long as the looks
        deletes = "".join(f'{what} "{name}";' for what, name in cursor.fetchall())
        cursor.execute(f"BEGIN; SET LOCAL session_replication_role = replica; {deletes} COMMIT", prepare=False)


@cache
def _filled() -> str:
    """A statement that names the tables with rows, and those that belong to one period, with what becomes of them."""
    with connection.cursor() as cursor:
        tables = [each for each in connection.introspection.table_names(cursor) if each not in KEPT]
    filled = (f"SELECT 'DELETE FROM', '{each}' WHERE EXISTS (TABLE \"{each}\")" for each in tables)
    own = "SELECT 'DROP TABLE', relname::text FROM pg_class WHERE relkind = 'r' AND relispartition"
    own += " AND relname ~ '_[0-9]+$'"
    return " UNION ALL ".join([*filled, own])
