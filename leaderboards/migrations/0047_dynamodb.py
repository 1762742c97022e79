"""A board may be stored in DynamoDB; each of its periods has a number of partition keys there."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("leaderboards", "0046_cascades")]

    operations = [
        migrations.AlterField(
            "board",
            "storage",
            models.CharField(
                choices=[
                    ("hybrid", "hybrid: SQL decides, Redis shows"),
                    ("redis", "redis: Redis decides, SQL follows within a second"),
                    ("sql", "sql: SQL alone"),
                    ("dynamodb", "dynamodb: DynamoDB decides and shows, SQL gets final standings"),
                ],
                default="hybrid",
                max_length=8,
                verbose_name="storage",
            ),
        ),
        migrations.AddField("period", "write_shards", models.PositiveSmallIntegerField(db_default=1, default=1)),
    ]
