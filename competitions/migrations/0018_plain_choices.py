"""The choices are said in plainer words; no column changes."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("competitions", "0017_field_names"),
    ]

    operations = [
        migrations.AlterField(
            model_name="competition",
            name="joining",
            field=models.CharField(
                choices=[("everyone", "everyone"), ("code", "players with the code"), ("list", "players on the list")],
                default="everyone",
                max_length=8,
                verbose_name="who may join",
            ),
        ),
        migrations.AlterField(
            model_name="competition",
            name="team_entry",
            field=models.CharField(
                choices=[("open", "everybody"), ("code", "players with the team's code")],
                default="open",
                max_length=4,
                verbose_name="who may enter a founded team",
            ),
        ),
    ]
