"""Operators and metadata of submissions. The columns are empty at first, so no row is written.

Each table in a migration of its own: locks on two of them at once could meet a writer's in the other order.
"""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("leaderboards", "0027_folded_name_indexes")]

    operations = [
        migrations.AddField("submission", "operator", models.CharField("operator", max_length=9, null=True)),
        migrations.AddField("submission", "metadata", models.TextField("metadata", null=True)),
    ]
