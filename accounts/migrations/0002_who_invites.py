"""Whoever is in the group ``admin`` makes invitations, as it makes accounts without rights."""

from typing import Any

from django.db import migrations

ACTS = ("view", "add", "change")


def give_permissions(apps: Any, schema_editor: Any) -> None:
    """The permissions are made by Django once all has migrated; those that are needed here are made as it would."""
    group = apps.get_model("auth", "Group").objects.filter(name="admin").first()
    if group is None:
        return
    kind, _ = apps.get_model("contenttypes", "ContentType").objects.get_or_create(
        app_label="accounts", model="invitation"
    )
    for act in ACTS:
        permission, _ = apps.get_model("auth", "Permission").objects.get_or_create(
            content_type=kind, codename=f"{act}_invitation", defaults={"name": f"Can {act} invitation"}
        )
        group.permissions.add(permission)


class Migration(migrations.Migration):
    dependencies = [("accounts", "0001_initial"), ("leaderboards", "0013_groups")]

    # Backwards nothing is taken away: somebody may be in the group by now.
    operations = [migrations.RunPython(give_permissions, migrations.RunPython.noop)]
