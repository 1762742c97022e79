"""What the admin calls standings, so that it can be said in other languages too. No table changes."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("leaderboards", "0004_player_name")]

    operations = [
        migrations.AlterModelOptions(
            name="standing", options={"verbose_name": "standing", "verbose_name_plural": "standings"}
        ),
    ]
