"""Fields that the admin shows have names that can be translated. No table changes."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("leaderboards", "0005_standing_names"),
    ]

    operations = [
        migrations.AlterField(
            model_name="standing",
            name="at",
            field=models.DateTimeField(null=True, verbose_name="at"),
        ),
        migrations.AlterField(
            model_name="standing",
            name="period",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="standings",
                to="leaderboards.period",
                verbose_name="period",
            ),
        ),
        migrations.AlterField(
            model_name="standing",
            name="player",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="standings",
                to="leaderboards.player",
                verbose_name="player",
            ),
        ),
        migrations.AlterField(
            model_name="standing",
            name="score",
            field=models.FloatField(null=True, verbose_name="score"),
        ),
        migrations.AlterField(
            model_name="standing",
            name="version",
            field=models.BigIntegerField(default=0, verbose_name="version"),
        ),
        migrations.AlterField(
            model_name="submission",
            name="at",
            field=models.DateTimeField(verbose_name="at"),
        ),
        migrations.AlterField(
            model_name="submission",
            name="board",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="submissions",
                to="leaderboards.board",
                verbose_name="board",
            ),
        ),
        migrations.AlterField(
            model_name="submission",
            name="created_at",
            field=models.DateTimeField(verbose_name="created at"),
        ),
        migrations.AlterField(
            model_name="submission",
            name="external_id",
            field=models.CharField(max_length=128, null=True, verbose_name="external id"),
        ),
        migrations.AlterField(
            model_name="submission",
            name="period",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="submissions",
                to="leaderboards.period",
                verbose_name="period",
            ),
        ),
        migrations.AlterField(
            model_name="submission",
            name="player",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="submissions",
                to="leaderboards.player",
                verbose_name="player",
            ),
        ),
        migrations.AlterField(
            model_name="submission",
            name="sent_at",
            field=models.DateTimeField(null=True, verbose_name="sent at"),
        ),
        migrations.AlterField(
            model_name="submission",
            name="service",
            field=models.CharField(max_length=100, verbose_name="service"),
        ),
        migrations.AlterField(
            model_name="submission",
            name="voided_at",
            field=models.DateTimeField(null=True, verbose_name="voided at"),
        ),
    ]
