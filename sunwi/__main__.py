"""`sunwi demo`, `sunwi doctor`, `sunwi --version`, all commands of `manage.py`, with the settings of Sunwi's project.

In an installed package that project is in `sunwi/project/`, and only this command adds it to the import path, so that
it does not hide another project's module `config`.
"""

import os
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
INSTALLED = HERE / "project"


def main() -> int:
    """Run the command and return its exit status."""
    sys.path.insert(0, str(INSTALLED if INSTALLED.is_dir() else HERE.parent))
    if sys.argv[1:] == ["--version"]:  # Django would answer its own
        from foundation.monitoring.build import version

        print(f"sunwi {version()}")  # noqa: T201 - a command line prints
        return 0
    if sys.argv[1:] == ["demo"]:
        from config.local.demo import main as demo

        return demo()
    os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line

    try:
        execute_from_command_line(["sunwi", *sys.argv[1:]])
    except ImproperlyConfigured as error:
        print(f"sunwi: {error}", file=sys.stderr)  # noqa: T201 - a command line prints
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
