"""`python -m config.run_celery -A config worker ...`: Celery's command line without the shell that it loads for people.

That shell (click_repl, with it prompt_toolkit) is for `celery amqp` alone; worker and beat would keep it as long as
they run.
"""

import sys
from pathlib import Path
from types import ModuleType


class NoShell(ModuleType):
    """Stands where click_repl would."""

    def register_repl(self, *_: object) -> None:
        """No command gets one."""


def main() -> None:
    """What `celery` does with the same arguments."""
    if not __package__:  # a worker that was sent HUP runs this file again, by its path
        sys.path[0] = str(Path(__file__).resolve().parents[1])
    sys.modules.setdefault("click_repl", NoShell("click_repl"))
    from celery.__main__ import main as celery

    celery()


if __name__ == "__main__":
    main()
