"""Django's createsuperuser, with an audit entry and a mail to the account's owner."""

from typing import Any

from django.contrib.auth.management.commands import createsuperuser

from accounts.management.saved import notify_on_save
from accounts.services.command_audit import superuser_made


class Command(createsuperuser.Command):
    """``createsuperuser``."""

    def handle(self, *args: Any, **options: Any) -> str | None:
        """Run Django's command."""
        with notify_on_save("createsuperuser", superuser_made):
            return super().handle(*args, **options)
