"""Pictures of players, and in each player's row which one is shown. Columns have defaults: an older release inserts
without them."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("leaderboards", "0040_period_ended")]

    operations = [
        migrations.AddField(
            "player", "picture", models.CharField(blank=True, db_default="", default="", editable=False, max_length=24)
        ),
        migrations.AddField(
            "player",
            "picture_from",
            models.CharField(blank=True, db_default="", default="", editable=False, max_length=200),
        ),
        migrations.CreateModel(
            name="PlayerPicture",
            fields=[
                (
                    "player",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="own_picture",
                        serialize=False,
                        to="leaderboards.player",
                    ),
                ),
                ("source", models.CharField(max_length=200)),
                ("digest", models.CharField(blank=True, default="", max_length=24)),
                ("large", models.BinaryField(null=True)),
                ("small", models.BinaryField(null=True)),
                ("fetched_at", models.DateTimeField(null=True)),
                ("next_at", models.DateTimeField()),
                ("failures", models.PositiveSmallIntegerField(default=0)),
                ("error", models.CharField(blank=True, default="", max_length=200)),
            ],
            options={
                "default_permissions": (),
                "indexes": [
                    models.Index(fields=["next_at"], name="player_picture_next"),
                    models.Index(
                        condition=models.Q(("digest", ""), _negated=True),
                        fields=["digest"],
                        name="player_picture_digest",
                    ),
                ],
            },
        ),
    ]
