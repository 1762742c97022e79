"""Fields get the names that the code has for them. Nothing is rewritten: each step renames a column, a table or an index."""

from typing import Any

from django.apps.registry import Apps
from django.db import migrations, models

PENDING = models.Q(pending_publish=True)
BEFORE, NOW = "keptrank", "rankhistoryentry"
NAMES = {BEFORE: "kept rank", NOW: "rank history entry"}


def _rename_permissions(apps: Apps, before: str, now: str) -> None:
    """Django renames the content type with its model, and would make new permissions beside those of before."""
    for each in apps.get_model("auth", "Permission").objects.filter(
        content_type__app_label="leaderboards", codename__endswith=f"_{before}"
    ):
        action = each.codename.partition("_")[0]
        each.codename, each.name = f"{action}_{now}", f"Can {action} {NAMES[now]}"
        each.save(update_fields=["codename", "name"])


def forwards(apps: Apps, _editor: Any) -> None:
    """Rename the permissions of the model that is renamed."""
    _rename_permissions(apps, BEFORE, NOW)


def backwards(apps: Apps, _editor: Any) -> None:
    """Give them back the names of before."""
    _rename_permissions(apps, NOW, BEFORE)


class Migration(migrations.Migration):
    dependencies = [("leaderboards", "0024_freed_ids")]

    operations = [
        migrations.RenameField("period", "whole", "needs_full_rebuild"),
        migrations.RenameField("period", "rebuilt", "rebuild_progress"),
        migrations.RenameField("period", "settling_until", "lease_expires_at"),
        migrations.RenameField("period", "emptied_at", "emptied_generation"),
        migrations.RenameField("period", "verify_place", "verify_cursor"),
        migrations.RenameModel("KeptRank", "RankHistoryEntry"),
        migrations.RunPython(forwards, backwards),
        migrations.AlterField(
            "rankhistoryentry",
            "player",
            models.ForeignKey("leaderboards.Player", models.CASCADE, related_name="rank_history"),
        ),
        # Both databases rename the column in the index's condition; only Django's picture of it has to be made anew.
        migrations.SeparateDatabaseAndState(
            state_operations=[migrations.RemoveIndex("standing", "standing_unput")],
        ),
        migrations.RenameField("standing", "unput", "pending_publish"),
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.AddIndex(
                    "standing", models.Index(fields=["period", "player"], condition=PENDING, name="standing_unput")
                )
            ],
        ),
        migrations.RenameIndex("standing", new_name="standing_pending_publish", old_name="standing_unput"),
    ]
