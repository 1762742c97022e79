"""The groups that the documents speak of (docs/security/accounts.md). A group of that name that is there already stays as it is."""

from typing import Any

from django.db import migrations

LOOKED_AT = {
    "leaderboards": ("board", "period", "player", "standing", "submission", "difference"),
    "likes": ("activityday",),
    "competitions": ("competition", "participant", "comment", "snapshot", "rewardtier", "rewardgrant"),
}
RUN = {"foundation": ("deadletter", "webhookdelivery"), "competitions": ("notice", "mail")}
HELD = {"foundation": ("servicekey", "webhookendpoint")}

VIEWER = {f"{app}.view_{model}" for app, models in LOOKED_AT.items() for model in models}
MODERATOR = VIEWER | {"leaderboards.change_player", "leaderboards.change_submission", "competitions.change_comment"}
JUDGE = VIEWER | {
    "leaderboards.change_submission",
    "competitions.change_competition",
    "competitions.change_participant",
    "competitions.change_rewardgrant",
    "competitions.view_notice",
}
OPERATOR = (
    VIEWER
    | {f"{app}.{act}_{model}" for app, models in RUN.items() for model in models for act in ("view", "change")}
    | {f"{app}.view_{model}" for app, models in HELD.items() for model in models}
    | {f"leaderboards.{act}_board" for act in ("add", "change")}
    | {f"competitions.{act}_competition" for act in ("add", "change")}
    | {f"competitions.{act}_rewardtier" for act in ("add", "change", "delete")}
    | {"competitions.change_rewardgrant"}
)
ADMIN = (
    MODERATOR
    | JUDGE
    | OPERATOR
    | {f"foundation.{act}_{model}" for model in HELD["foundation"] for act in ("add", "change")}
    | {"leaderboards.delete_board", "competitions.delete_competition"}
    | {f"auth.{act}_user" for act in ("view", "add", "change", "delete")}
    | {"auth.view_group"}
)
GROUPS = {"viewer": VIEWER, "moderator": MODERATOR, "judge": JUDGE, "operator": OPERATOR, "admin": ADMIN}


def make_groups(apps: Any, schema_editor: Any) -> None:
    """Permissions are made by Django once all has migrated; those that are needed here are made as it would."""
    Group = apps.get_model("auth", "Group")
    made: dict[str, Any] = {}
    for name, wanted in GROUPS.items():
        group, is_new = Group.objects.get_or_create(name=name)
        if is_new:
            group.permissions.set([made.setdefault(each, _permission(apps, each)) for each in sorted(wanted)])


def _permission(apps: Any, wanted: str) -> Any:
    app, _, codename = wanted.partition(".")
    act, _, model = codename.partition("_")
    kind, _ = apps.get_model("contenttypes", "ContentType").objects.get_or_create(app_label=app, model=model)
    words = apps.get_model(app, model)._meta.verbose_name_raw
    return apps.get_model("auth", "Permission").objects.get_or_create(
        content_type=kind, codename=codename, defaults={"name": f"Can {act} {words}"}
    )[0]


class Migration(migrations.Migration):
    # It also needs likes.0003 and competitions.0005, which need leaderboards: named here, the squashed migrations would
    # wait for each other.
    dependencies = [
        ("leaderboards", "0012_numbers_of_generations"),
        ("foundation", "0006_numbers_of_generations"),
        ("auth", "0012_alter_user_first_name_max_length"),
        ("contenttypes", "0002_remove_content_type_name"),
    ]

    # Backwards nothing is taken away: somebody may be in a group by now.
    operations = [migrations.RunPython(make_groups, migrations.RunPython.noop)]
