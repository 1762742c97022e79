"""Fields get the names that the code has for them. Nothing is rewritten: each step renames a column or a table."""

from typing import Any

from django.apps.registry import Apps
from django.db import migrations

BEFORE, NOW = "telling", "notificationprogress"


def _rename_permissions(apps: Apps, before: str, now: str) -> None:
    """Django renames the content type with its model, and would make new permissions beside those of before."""
    for each in apps.get_model("auth", "Permission").objects.filter(
        content_type__app_label="competitions", codename__endswith=f"_{before}"
    ):
        each.codename = f"{each.codename.partition('_')[0]}_{now}"
        each.save(update_fields=["codename"])


def forwards(apps: Apps, _editor: Any) -> None:
    """Rename the permissions of the model that is renamed."""
    _rename_permissions(apps, BEFORE, NOW)


def backwards(apps: Apps, _editor: Any) -> None:
    """Give them back the names of before."""
    _rename_permissions(apps, NOW, BEFORE)


class Migration(migrations.Migration):
    dependencies = [("competitions", "0016_scores_judged_are_told")]

    operations = [
        migrations.RenameField("revision", "left_out", "excluded_players"),
        migrations.RenameField("telling", "reached", "last_player"),
        migrations.RenameField("telling", "told_at", "notified_at"),
        migrations.RenameModel("Telling", "NotificationProgress"),
        migrations.RunPython(forwards, backwards),
        migrations.RenameField("rewardrun", "steps", "version"),
    ]
