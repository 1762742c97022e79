"""The names that are to be folded are those that ``folded_from`` differs from; an index of them replaces the one before."""

from django.db import migrations, models

from leaderboards.migrations._concurrently import AddIndexBesideWriters, RemoveIndexBesideWriters


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("leaderboards", "0028_folded_from")]

    operations = [
        AddIndexBesideWriters(
            "player",
            models.Index(
                condition=models.Q(
                    models.Q(
                        models.Q(("name", ""), _negated=True),
                        models.Q(("folded_from", models.F("name")), _negated=True),
                    ),
                    models.Q(("folded_name__isnull", False), ("name", "")),
                    _connector="OR",
                ),
                fields=["id"],
                name="player_fold_due",
            ),
        ),
        RemoveIndexBesideWriters("player", "player_to_fold"),
    ]
