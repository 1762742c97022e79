"""A board's periods may have tables of their own on PostgreSQL, and may be deleted some time after they are final."""

import django.core.validators
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("leaderboards", "0050_encoding")]

    operations = [
        migrations.AddField(
            "board",
            "own_tables",
            models.BooleanField(db_default=False, default=False, verbose_name="tables of its own"),
        ),
        migrations.AddField(
            "board",
            "keep_periods_days",
            models.PositiveIntegerField(
                blank=True,
                null=True,
                validators=[
                    django.core.validators.MinValueValidator(1),
                    django.core.validators.MaxValueValidator(36525),
                ],
                verbose_name="keep periods, days",
            ),
        ),
    ]
