"""Django's changepassword, with an audit entry and a mail to the account's owner."""

from typing import Any

from django.contrib.auth.management.commands import changepassword

from accounts.management.saved import notify_on_save
from accounts.services.command_audit import password_set


class Command(changepassword.Command):
    """``changepassword NAME``."""

    def handle(self, *args: Any, **options: Any) -> str | None:
        """Run Django's command."""
        with notify_on_save("changepassword", password_set):
            return super().handle(*args, **options)
