"""A table of players whose name, country or id was changed, for processes that cache names (decision 0097)."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("leaderboards", "0043_board_hue")]

    operations = [
        migrations.CreateModel(
            name="NameChange",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("player", models.BigIntegerField()),
                ("xid", models.BigIntegerField(db_index=True)),
                ("at", models.DateTimeField()),
            ],
            options={"default_permissions": ()},
        ),
    ]
