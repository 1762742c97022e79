"""The name that a folded name was made from, so that a name written without its folded form is found and folded."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("leaderboards", "0028_board_operators")]

    operations = [
        migrations.AddField("player", "folded_from", models.CharField(editable=False, max_length=100, null=True)),
    ]
