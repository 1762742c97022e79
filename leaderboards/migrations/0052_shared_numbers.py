"""No row of the shared tables belongs to a period with tables of its own: so these are divided without reading them."""

from django.db import migrations

from leaderboards.migrations._divided import TABLES, check_shared


class Migration(migrations.Migration):
    dependencies = [("leaderboards", "0051_own_tables")]

    operations = [check_shared(table) for table in TABLES]
