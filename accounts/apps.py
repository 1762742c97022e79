"""The accounts app."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class AccountsConfig(AppConfig):
    """Who may sign in, and how they prove who they are."""

    default_auto_field = "django.db.models.BigAutoField"
    name = "accounts"
    verbose_name = _("Accounts")

    def ready(self) -> None:
        """Every way of signing in leaves the same marks in the session, and what fails is told; stored secrets can be
        sealed anew."""
        from django.contrib.auth.signals import user_logged_in, user_logged_out, user_login_failed

        from accounts import (
            checks,  # noqa: F401 (importing registers the checks)
            session_marks,
        )
        from accounts.models import AuthenticatorApp
        from accounts.services import audit_actions as acts
        from accounts.services import sign_ins
        from foundation.security import sealed_rows, sealing

        user_logged_in.connect(session_marks.mark_signed_in, dispatch_uid="accounts.session_marks")
        user_login_failed.connect(sign_ins.of_a_wrong_password, dispatch_uid="accounts.wrong_password")
        user_logged_out.connect(sign_ins.of_a_sign_out, dispatch_uid="accounts.sign_out")
        acts.register()
        sealed_rows.COLUMNS[AuthenticatorApp] = (sealing.SECOND_FACTOR, ("secret",))
