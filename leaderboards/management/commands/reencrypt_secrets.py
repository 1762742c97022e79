"""Encrypt stored secrets with the first of ENCRYPTION_KEYS, so that the keys before it can be taken away."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from foundation.security import sealed_rows
from leaderboards.management.command import Command as BaseCommand


class Command(BaseCommand):
    """``reencrypt_secrets [--dry-run]``: exit status 1 if a secret can not be opened."""

    help = "Encrypt the secrets of webhooks and of service keys anew with the first key. Safe to run twice."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Whether to look only."""
        parser.add_argument("--dry-run", action="store_true", help="say what there is to do, and change nothing")

    def handle(self, *_args: Any, **options: Any) -> None:
        """One JSON document; what can not be opened is named on stderr."""
        found = sealed_rows.count_secrets() if options["dry_run"] else sealed_rows.reseal()
        done = "would_be_reencrypted" if options["dry_run"] else "reencrypted"
        self.print_json({"current": found.current, done: found.older, "unreadable": list(found.unreadable)})
        if found.unreadable:
            raise CommandError(
                f"None of ENCRYPTION_KEYS opens the secrets of: {', '.join(found.unreadable)}. Add the key that they "
                "were encrypted with and run this again, or rotate them."
            )
