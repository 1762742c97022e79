"""The groups that the documents speak of (docs/security/accounts.md), and what each may do.

They come with the last of the tables, whose permissions they hold. Who invites: whichever of accounts and competitions
migrates last gives the rights, so that neither needs the other.
"""

from typing import Any

from django.apps import apps as installed
from django.conf import settings
from django.contrib.auth.management import create_permissions

USERS, _, USER = settings.AUTH_USER_MODEL.partition(".")
APPS = ("auth", USERS, "foundation", "leaderboards", "likes", "competitions")
LOOKED_AT = {
    "leaderboards": ("board", "period", "player", "standing", "submission", "difference", "quarantinedentry"),
    "likes": ("activityday",),
    "competitions": (
        "competition", "participant", "comment", "snapshot", "rewardtier", "rewardgrant", "league", "leaguemember",
    ),
}  # fmt: skip  # as a table
RUN = {"foundation": ("deadletter", "webhookdelivery"), "competitions": ("notice", "mail")}
HELD = {"foundation": ("servicekey", "webhookendpoint")}
LAID_DOWN = ("rewardtier", "league", "leaguetier")
# ``auth.view_user`` and so on, or those of the project's own user model, which may have fewer (default_permissions).
ACCOUNTS = {f"{USERS}.{act}_{USER.lower()}" for act in ("view", "add", "change", "delete")}

VIEWER = {f"{app}.view_{model}" for app, models in LOOKED_AT.items() for model in models}
MODERATOR = VIEWER | {
    "leaderboards.change_player",
    "leaderboards.change_submission",
    "leaderboards.judge_quarantinedentry",
    "leaderboards.change_standing",
    "leaderboards.view_purge",
    "leaderboards.add_purge",
    "competitions.change_comment",
    "foundation.view_auditentry",
}
JUDGE = VIEWER | {
    "leaderboards.change_submission",
    "leaderboards.judge_quarantinedentry",
    "competitions.change_competition",
    "competitions.change_participant",
    "competitions.change_rewardgrant",
    "competitions.view_notice",
    "foundation.view_auditentry",
}
OPERATOR = (
    VIEWER
    | {f"{app}.{act}_{model}" for app, models in RUN.items() for model in models for act in ("view", "change")}
    | {f"{app}.view_{model}" for app, models in HELD.items() for model in models}
    | {f"leaderboards.{act}_board" for act in ("add", "change")}
    | {f"leaderboards.{right}" for right in ("view_importrun", "import_scores", "import_players", "import_boards")}
    | {f"competitions.{act}_competition" for act in ("add", "change")}
    | {f"competitions.{act}_{model}" for model in LAID_DOWN for act in ("add", "change", "delete")}
    | {"competitions.change_rewardgrant", "foundation.view_auditentry"}
)
ADMIN = (
    MODERATOR
    | JUDGE
    | OPERATOR
    | {f"foundation.{act}_{model}" for model in HELD["foundation"] for act in ("add", "change")}
    | {"leaderboards.delete_board", "leaderboards.erase_player", "competitions.delete_competition"}
    | ACCOUNTS
    | {"auth.view_group", "foundation.change_auditentry"}
)
INVITE = {f"accounts.{act}_invitation" for act in ("view", "add", "change")}  # there only once accounts have migrated
GROUPS = {"viewer": VIEWER, "moderator": MODERATOR, "judge": JUDGE, "operator": OPERATOR, "admin": ADMIN}


def make_groups(apps: Any, schema_editor: Any) -> None:
    """Make each group that is not there: one of its name stays as it is.

    Django makes permissions once all has migrated: here the same code makes them now.
    """
    for app in dict.fromkeys(APPS):
        create_permissions(installed.get_app_config(app), apps=apps, verbosity=0)
    made = {
        f"{each.content_type.app_label}.{each.codename}": each
        for each in apps.get_model("auth", "Permission").objects.select_related("content_type")
    }
    for name, wanted in GROUPS.items():
        group, is_new = apps.get_model("auth", "Group").objects.get_or_create(name=name)
        if is_new:
            group.permissions.set([made[each] for each in sorted(wanted - (ACCOUNTS - made.keys()))])
            if name == "admin":
                group.permissions.add(*(made[each] for each in sorted(INVITE & made.keys())))
