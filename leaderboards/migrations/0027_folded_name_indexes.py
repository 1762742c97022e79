"""Players are found by the beginning of their folded name, and those whose name is to be folded by an index of them."""

from django.db import migrations, models

from leaderboards.migrations._concurrently import AddIndexBesideWriters


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("leaderboards", "0026_folded_name")]

    operations = [
        AddIndexBesideWriters(
            "player",
            models.Index(
                condition=models.Q(("folded_name__isnull", False)), fields=["folded_name", "id"], name="player_folded"
            ),
        ),
        AddIndexBesideWriters(
            "player",
            models.Index(
                condition=models.Q(
                    models.Q(("folded_name", None), models.Q(("name", ""), _negated=True)),
                    models.Q(("folded_name__isnull", False), ("name", "")),
                    _connector="OR",
                ),
                fields=["id"],
                name="player_to_fold",
            ),
        ),
    ]
