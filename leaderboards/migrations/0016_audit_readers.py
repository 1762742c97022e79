"""Whoever moderates, judges, operates or administers reads the audit log; admins undo what asks for no other right."""

from typing import Any

from django.db import migrations

READERS = ("moderator", "judge", "operator", "admin")


def let_read(apps: Any, schema_editor: Any) -> None:
    """Permissions are made by Django once all has migrated; these two are made as it would."""
    kind, _ = apps.get_model("contenttypes", "ContentType").objects.get_or_create(
        app_label="foundation", model="auditentry"
    )
    may = {
        verb: apps.get_model("auth", "Permission").objects.get_or_create(
            content_type=kind, codename=f"{verb}_auditentry", defaults={"name": f"Can {verb} audit entry"}
        )[0]
        for verb in ("view", "change")
    }
    groups = apps.get_model("auth", "Group").objects
    for group in groups.filter(name__in=READERS):
        group.permissions.add(may["view"])
    for group in groups.filter(name="admin"):
        group.permissions.add(may["change"])


class Migration(migrations.Migration):
    dependencies = [("leaderboards", "0015_ban_records"), ("foundation", "0009_audit")]

    # Backwards nothing is taken away: somebody may have been given it by hand.
    operations = [migrations.RunPython(let_read, migrations.RunPython.noop)]
