"""Remove the second factors of an account whose owner has lost them."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from accounts.services.second_factors import removal as factors
from foundation import clock
from foundation.users import find_by_name


class Command(BaseCommand):
    """``account_forget_factors NAME``: for the last superuser; for others a superuser can do it in the admin."""

    help = "Take away authenticator app, passkeys and recovery codes: the account signs in by its password alone."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take the username."""
        parser.add_argument("name", metavar="NAME")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Remove the factors; ``CommandError`` for an unknown account."""
        user = find_by_name(options["name"])
        if user is None:
            raise CommandError(f"There is no account {options['name']!r}.")
        factors.forget_all(user, None, clock.now())
        self.stdout.write(f"{user} signs in by the password alone now.")
