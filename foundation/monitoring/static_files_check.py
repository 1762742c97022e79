"""The system check of static files that the project, or another app, has under a name of Sunwi's (``sunwi.W006``).

Sunwi's lie in ``css/``, ``fonts/``, ``img/`` and ``js/``. Of two files with one name ``collectstatic`` takes the first
that it finds, so one site's pages get the other's style.
"""

from pathlib import Path
from typing import Any

from django.apps import apps
from django.contrib.staticfiles import finders
from django.core.checks import CheckMessage, Tags, Warning, register  # noqa: A004 - Django's own name

from foundation import file_locations

FOLDERS = ("css", "fonts", "img", "js")
MOST_NAMED = 5


@register(Tags.staticfiles)
def static_files_have_names_of_their_own(**_: Any) -> list[CheckMessage]:
    """Check that no other static file has the name of one of Sunwi's."""
    if not apps.is_installed("django.contrib.staticfiles"):
        return []
    shared = [
        name for name in _names() if len({Path(each).resolve() for each in finders.find(name, find_all=True)}) > 1
    ]
    if not shared:
        return []
    more = f" and {len(shared) - MOST_NAMED} more" if len(shared) > MOST_NAMED else ""
    said = f"Static files of yours have names of Sunwi's: {', '.join(shared[:MOST_NAMED])}{more}."
    hint = "Put yours into a folder of your own, such as static/game/css/: only one of two with a name is served."
    return [Warning(said, hint=hint, id="sunwi.W006")]


def _names() -> list[str]:
    root = file_locations.folder("static")
    return sorted(
        str(file.relative_to(root)) for name in FOLDERS for file in (root / name).rglob("*") if file.is_file()
    )
