"""The keys of submissions are no longer checked by the database: their standings' keys are (docs/decisions/0025)."""

import django.db.models.deletion
from django.db import migrations, models


def _unchecked(to: str, name: str) -> "models.ForeignKey[object, object]":
    return models.ForeignKey(
        db_constraint=False,
        on_delete=django.db.models.deletion.PROTECT,
        related_name="submissions",
        to=to,
        verbose_name=name,
    )


class Migration(migrations.Migration):
    dependencies = [("leaderboards", "0007_kept_ranks")]

    operations = [
        migrations.AlterField("submission", name, _unchecked(f"leaderboards.{name}", name))
        for name in ("board", "period", "player")
    ]
