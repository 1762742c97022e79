"""Audit actions of accounts. The subject is the account, ``("account", pk)``."""

from datetime import datetime
from typing import Any

from django.utils.translation import gettext_lazy as _

from accounts.models import MailKind
from accounts.services.mails import owner_notices
from foundation import audit
from foundation.users import User

SIGNED_UP, INVITED, INVITATION_REVOKED = "account.signed_up", "account.invited", "account.invitation_revoked"
FACTOR_ADDED, FACTOR_REMOVED, FACTORS_FORGOTTEN = (
    "account.factor_added",
    "account.factor_removed",
    "account.factors_forgotten",
)
SIGNED_IN, SIGN_IN_FAILED, SIGNED_OUT = "account.signed_in", "account.sign_in_failed", "account.signed_out"
RECOVERY_CODE, CODE_REUSED = "account.recovery_code_used", "account.code_reused"
PASSWORD, EMAIL, DELETED = "account.password_changed", "account.email_changed", "account.left"
EMAIL_BACK, ADDED = "account.email_put_back", "account.added"

_MAILED = {
    FACTOR_ADDED: MailKind.FACTOR_ADDED,
    FACTOR_REMOVED: MailKind.FACTOR_REMOVED,
    RECOVERY_CODE: MailKind.RECOVERY_CODE,
    PASSWORD: MailKind.PASSWORD_CHANGED,
}


def register() -> None:
    """Register the actions and their labels; none can be undone from the log."""
    for code, label in (
        (SIGNED_UP, _("account made by its owner")),
        (INVITED, _("invitation made")),
        (INVITATION_REVOKED, _("invitation taken back")),
        (FACTOR_ADDED, _("second factor set up")),
        (FACTOR_REMOVED, _("second factor taken away")),
        (FACTORS_FORGOTTEN, _("second factors taken away by staff")),
        (SIGNED_IN, _("staff signed in")),
        (SIGN_IN_FAILED, _("sign-in as staff failed")),
        (SIGNED_OUT, _("staff signed out")),
        (RECOVERY_CODE, _("recovery code used")),
        (CODE_REUSED, _("code of an app sent a second time")),
        (PASSWORD, _("password changed")),
        (EMAIL, _("e-mail address changed")),
        (EMAIL_BACK, _("e-mail address of before put back by its owner")),
        (DELETED, _("account deleted by its owner")),
    ):
        audit.register_action(code, label)


def record_and_notify(act: str, user: User | None, at: datetime, by: User | None = None, **note: Any) -> None:
    """Record an action on ``user`` in the caller's transaction, and mail a notice to the owner for some actions.

    ``by`` is who did it, by default the user.
    """
    if user is not None and act in _MAILED:
        owner_notices.notify_owner(_MAILED[act], user, at, by=by or user, **note)
    subjects = [("account", user.pk)] if user else []
    audit.record(act, at=at, by=by or user, subjects=subjects, note=note)
