"""The table of numbers for generations belongs to whatever is kept in step; the table itself stays where it is."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("foundation", "0005_identity_of_a_redis")]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.CreateModel(
                    name="DrawnGeneration",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID"),
                        ),
                        ("drawn_at", models.DateTimeField(auto_now_add=True)),
                    ],
                    options={"db_table": "leaderboards_drawngeneration"},
                )
            ]
        )
    ]
