"""A snapshot of ranks also has the rank that a shadowed player sees, and from which rank others stand one lower there."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("leaderboards", "0029_fold_due_index")]

    operations = [migrations.AddField("rankhistoryentry", "moves_from", models.BigIntegerField(null=True))]
