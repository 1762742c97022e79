"""The accounts app."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class AccountsConfig(AppConfig):
    """Who may sign in, and how they prove who they are."""

    default_auto_field = "django.db.models.BigAutoField"
    name = "accounts"
    verbose_name = _("Accounts")

    def ready(self) -> None:
        """Every way of signing in leaves the same marks in the session; stored secrets can be sealed anew."""
        from django.contrib.auth.signals import user_logged_in

        from accounts import marks
        from accounts.models import AuthenticatorApp
        from accounts.services import acts
        from foundation import sealed_rows, sealing

        user_logged_in.connect(marks.of_a_sign_in, dispatch_uid="accounts.marks")
        acts.register()
        sealed_rows.COLUMNS[AuthenticatorApp] = (sealing.SECOND_FACTOR, ("secret",))
