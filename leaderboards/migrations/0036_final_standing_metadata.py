"""The metadata of a frozen copy's rows: null everywhere else, and for what an older release copies."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("leaderboards", "0035_period_newest")]

    operations = [
        migrations.AddField("finalstanding", "metadata", models.TextField(null=True, verbose_name="metadata")),
    ]
