"""Where the files lie that are no modules: beside the packages in a checkout, inside this one in an installed package.

`pyproject.toml` says what is laid where when a package is built. Standard library only: the settings ask it.
"""

from pathlib import Path

_HERE = Path(__file__).resolve().parent
CHECKOUT = None if (_HERE / "templates").is_dir() else _HERE.parent
DEMO = "make demo" if CHECKOUT else "sunwi demo"  # what starts it


def folder(name: str) -> Path:
    """The folder of this name: ``templates``, ``static`` or ``locale``."""
    return (CHECKOUT or _HERE) / name


def demo_folder() -> Path:
    """Where the demo keeps everything unless DATA_DIR says otherwise: in the checkout, or where the command is run."""
    return (CHECKOUT or Path.cwd()) / ".data"
