"""Metadata of standings.

Each table in a migration of its own: locks on two of them at once could meet a writer's in the other order.
"""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("leaderboards", "0028_quarantined_operators_and_metadata")]

    operations = [
        migrations.AddField("standing", "metadata", models.TextField("metadata", null=True)),
    ]
