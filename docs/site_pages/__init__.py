"""The pages of reference, made from the code: settings, Redis keys, metrics, the API, and commands."""

from collections.abc import Callable
from pathlib import Path

from site_pages import api, commands, keys, metrics, settings

PAGES: dict[str, Callable[[], str]] = {
    "settings": settings.page,
    "keys": keys.page,
    "metrics": metrics.page,
    "api": api.page,
    "commands": commands.page,
}


def write_all(folder: Path) -> None:
    """Write each page into ``folder``, which is made; Django is set up. Raises ``ValueError`` for gaps."""
    folder.mkdir(exist_ok=True)
    for name, page in PAGES.items():
        (folder / f"{name}.md").write_text(page(), "utf-8")
