"""Where data files are (templates, static files, translations): in the root of a checkout, or in this package when
Sunwi is installed; `pyproject.toml` puts them there.

The settings import this module, so it uses the standard library only.
"""

from pathlib import Path

_HERE = Path(__file__).resolve().parent
CHECKOUT = None if (_HERE / "templates").is_dir() else _HERE.parent
DEMO = "make demo" if CHECKOUT else "sunwi demo"  # the command that starts the demo


def folder(name: str) -> Path:
    """The folder of this name: ``templates``, ``static`` or ``locale``."""
    return (CHECKOUT or _HERE) / name


def demo_folder() -> Path:
    """The demo's data folder unless DATA_DIR is set: in the checkout, or in the current directory."""
    return (CHECKOUT or Path.cwd()) / ".data"
