"""A board may have a hue of its choice; empty: by its number, as before."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("leaderboards", "0042_pictures_due"),
    ]

    operations = [
        migrations.AddField(
            "board",
            "hue",
            models.CharField(
                blank=True,
                choices=[
                    ("", "by its number"),
                    ("rose", "rose"),
                    ("coral", "coral"),
                    ("lime", "lime"),
                    ("green", "green"),
                    ("teal", "teal"),
                    ("sky", "sky"),
                    ("azure", "azure"),
                    ("iris", "iris"),
                    ("violet", "violet"),
                    ("magenta", "magenta"),
                ],
                db_default="",
                default="",
                max_length=7,
                verbose_name="hue",
            ),
        ),
    ]
