"""The foundation's own audit actions and subjects: keys, webhooks, dead letters, accounts, and rows in the admin."""

from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from foundation.audit.actions import register_action, register_subject
from foundation.users import user_label

SUBJECTS = {
    "service_key": (_("service key"), "foundation.servicekey"),
    "webhook": (_("webhook endpoint"), "foundation.webhookendpoint"),
    "dead_letter": (_("dead letter"), "foundation.deadletter"),
    "group": (_("group"), "auth.group"),
}
ACTS = {
    "audit.undone": pgettext_lazy("what was done", "undone"),
    "row.added": _("row added"),
    "row.changed": _("row changed"),
    "row.deleted": _("row deleted"),
    "account.added": _("account added"),
    "account.changed": _("account changed"),
    "account.deleted": _("account deleted"),
    "group.added": _("group added"),
    "group.changed": _("group changed"),
    "group.deleted": _("group deleted"),
    "service_key.made": _("service key made"),
    "service_key.bound": _("service key bound to addresses"),
    "service_key.signed": _("service key made to demand signatures"),
    "service_key.rotated": _("signing secret of a service key rotated"),
    "service_key.revoked": _("service key revoked"),
    "webhook.added": _("webhook endpoint added"),
    "webhook.changed": _("webhook endpoint changed"),
    "webhook.rotated": _("secret of a webhook endpoint rotated"),
    "webhook.disabled": _("webhook endpoint disabled"),
    "webhook.enabled": _("webhook endpoint enabled"),
    "webhook.replayed": _("webhook messages sent again"),
    "webhook.dropped": _("webhook messages dropped"),
    "dead_letter.retried": _("dead letter retried"),
    "dead_letter.edited": _("dead letter edited"),
    "dead_letter.dropped": _("dead letter dropped"),
}


def register() -> None:
    """Register them."""
    register_subject("account", _("account"), user_label())
    for kind, (label, model) in SUBJECTS.items():
        register_subject(kind, label, model)
    for code, label in ACTS.items():
        register_action(code, label)
