"""Django's createsuperuser, which leaves an entry in the audit log and tells the account's owner."""

from typing import Any

from django.contrib.auth.management.commands import createsuperuser

from accounts.management.saved import notify_on_save
from accounts.services.command_audit import superuser_made


class Command(createsuperuser.Command):
    """``createsuperuser``."""

    def handle(self, *args: Any, **options: Any) -> str | None:
        """As Django does."""
        with notify_on_save("createsuperuser", superuser_made):
            return super().handle(*args, **options)
