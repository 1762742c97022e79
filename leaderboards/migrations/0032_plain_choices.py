"""The choices are said in plainer words; no column changes."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("leaderboards", "0031_checked_imports"),
    ]

    operations = [
        migrations.AlterField(
            model_name="board",
            name="ties",
            field=models.CharField(
                choices=[
                    ("first_come", "the first to get there is ahead"),
                    ("last_come", "the last to get there is ahead"),
                    ("shared", "shared rank: 1 1 3"),
                    ("dense", "shared rank without gaps: 1 1 2"),
                ],
                default="first_come",
                max_length=10,
                verbose_name="ties",
            ),
        ),
    ]
