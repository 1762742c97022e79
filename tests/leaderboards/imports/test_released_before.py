"""Processes of the release before go on while columns are new: what they write names none of these."""

import pytest
from django.db import connection

from leaderboards.models import ImportRun
from tests.leaderboards.imports.files import sent

pytestmark = pytest.mark.django_db(transaction=True)


def test_an_upload_that_names_no_number_of_checks_is_taken() -> None:
    sent("players", "player\nalice\n")
    unnamed = {"id", "judgings"}
    names = ", ".join(f'"{each.column}"' for each in ImportRun._meta.concrete_fields if each.column not in unnamed)
    table = ImportRun._meta.db_table

    with connection.cursor() as cursor:
        cursor.execute(f"INSERT INTO {table} ({names}) SELECT {names} FROM {table}")  # noqa: S608 - names of the model

    assert list(ImportRun.objects.values_list("checks", flat=True)) == [0, 0]
