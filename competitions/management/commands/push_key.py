"""Make a key for web push, and print it: the value of ``PUSH_KEY``. Nothing is stored."""

from typing import Any

from django.core.management.base import BaseCommand

from foundation.push.keys import new_key


class Command(BaseCommand):
    """``push_key``."""

    help = "Make a key for notices to browsers (web push), and print it: the value of PUSH_KEY."

    def handle(self, *_args: Any, **_options: Any) -> None:
        """Print a new key."""
        self.stdout.write(new_key())
