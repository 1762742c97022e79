"""The accounts app."""

from types import ModuleType

from django.utils.translation import gettext_lazy as _

from foundation import needed_apps
from foundation.sunwi_settings import check_settings


class AccountsConfig(needed_apps.SunwiApp):
    """Connect the sign-in signals, and register audit actions and encrypted columns at startup."""

    default_auto_field = "django.db.models.BigAutoField"
    name = "accounts"
    verbose_name = _("Accounts")

    def __init__(self, app_name: str, app_module: ModuleType) -> None:
        """Check Sunwi's settings. Raises ``ImproperlyConfigured``."""
        super().__init__(app_name, app_module)
        check_settings()  # this app may come before the foundation

    def ready(self) -> None:
        """Connect and register everything."""
        from django.contrib.auth.signals import user_logged_in, user_logged_out, user_login_failed

        from accounts import (
            checks,  # noqa: F401 - importing registers the checks
            session_marks,
        )
        from accounts.models import AuthenticatorApp
        from accounts.services import audit_actions, sign_ins
        from foundation.security import sealed_rows, sealing

        user_logged_in.connect(session_marks.mark_signed_in, dispatch_uid="accounts.session_marks")
        user_login_failed.connect(sign_ins.on_login_failed, dispatch_uid="accounts.wrong_password")
        user_logged_out.connect(sign_ins.on_logged_out, dispatch_uid="accounts.sign_out")
        audit_actions.register()
        sealed_rows.COLUMNS[AuthenticatorApp] = (sealing.SECOND_FACTOR, ("secret",))
