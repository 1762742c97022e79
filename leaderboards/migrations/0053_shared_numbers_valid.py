"""The check of 0052 holds for the rows of before: they are read beside writers."""

from django.db import migrations

from leaderboards.migrations._divided import TABLES, validate_shared


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("leaderboards", "0052_shared_numbers")]

    operations = [validate_shared(table) for table in TABLES]
