"""How Redis keeps the standings of a board: the rules of each period say how it keeps theirs."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("leaderboards", "0049_partition_cascade")]

    operations = [
        migrations.AddField(
            "board",
            "encoding",
            models.CharField(
                choices=[
                    ("plain", "plain: a sorted set"),
                    ("compact", "compact: numbers of players in a tree, a third of the memory"),
                ],
                db_default="plain",
                default="plain",
                max_length=7,
                verbose_name="encoding",
            ),
        )
    ]
