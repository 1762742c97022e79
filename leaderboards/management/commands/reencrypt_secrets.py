"""Encrypt stored secrets again with the first of ENCRYPTION_KEYS, so that the old keys can be removed."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from foundation.security import sealed_rows
from leaderboards.management.command import Command as BaseCommand


class Command(BaseCommand):
    """``reencrypt_secrets [--dry-run]``: exit status 1 if a secret cannot be decrypted."""

    help = "Encrypt the secrets of webhooks and of service keys anew with the first key. Safe to run twice."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add ``--dry-run``."""
        parser.add_argument("--dry-run", action="store_true", help="say what there is to do, and change nothing")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Print the counts as JSON; secrets that cannot be decrypted are named on stderr."""
        counts = sealed_rows.count_secrets() if options["dry_run"] else sealed_rows.reseal()
        done = "would_be_reencrypted" if options["dry_run"] else "reencrypted"
        self.print_json({"current": counts.current, done: counts.older, "unreadable": list(counts.unreadable)})
        if counts.unreadable:
            raise CommandError(
                f"None of ENCRYPTION_KEYS opens the secrets of: {', '.join(counts.unreadable)}. Add the key that they "
                "were encrypted with and run this again, or rotate them."
            )
