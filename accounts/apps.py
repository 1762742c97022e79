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

        from accounts import checks, marks  # noqa: F401 (importing registers the checks)
        from accounts.models import AuthenticatorApp
        from accounts.services import acts, sign_ins
        from foundation import sealed_rows, sealing

        user_logged_in.connect(marks.of_a_sign_in, dispatch_uid="accounts.marks")
        user_login_failed.connect(sign_ins.of_a_wrong_password, dispatch_uid="accounts.wrong_password")
        user_logged_out.connect(sign_ins.of_a_sign_out, dispatch_uid="accounts.sign_out")
        acts.register()
        sealed_rows.COLUMNS[AuthenticatorApp] = (sealing.SECOND_FACTOR, ("secret",))
