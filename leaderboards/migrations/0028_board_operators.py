"""The operators that submissions to a board may name.

Each table in a migration of its own: locks on two of them at once could meet a writer's in the other order.
"""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("leaderboards", "0028_standing_metadata")]

    operations = [
        # An older release inserts boards without this column.
        migrations.AddField(
            "board", "operators", models.JSONField("operators", blank=True, db_default=[], default=list)
        ),
    ]
