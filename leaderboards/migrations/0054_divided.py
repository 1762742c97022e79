"""Standings and final standings are divided by period, with the tables of before as the part that others share."""

from django.db import migrations

from leaderboards.migrations._divided import TABLES, divide, functions


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("leaderboards", "0053_shared_numbers_valid")]

    operations = [*(divide(table) for table in TABLES), *functions()]
