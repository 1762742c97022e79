"""`python -m config.run_celery -A config worker ...`: Celery's command line without its interactive shell.

The shell (click_repl and prompt_toolkit) is only for `celery amqp`, but worker and beat would keep it in memory.
"""

import sys
from pathlib import Path
from types import ModuleType


class NoShell(ModuleType):
    """A replacement for the module click_repl."""

    def register_repl(self, *_: object) -> None:
        """Do nothing."""


def main() -> None:
    """Run `celery` with the same arguments."""
    if not __package__:  # after HUP a worker runs this file again by its path
        sys.path[0] = str(Path(__file__).resolve().parents[1])
    sys.modules.setdefault("click_repl", NoShell("click_repl"))
    from celery.__main__ import main as celery

    celery()


if __name__ == "__main__":
    main()
