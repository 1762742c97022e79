"""The folder in which the processes of one machine count: METRICS_FOLDER, with a subfolder for each machine.

The trap: prometheus-client decides when it is first imported whether it counts in files, by PROMETHEUS_MULTIPROC_DIR.
A process that imports it before that is set counts in its own memory, and no other process ever tells of it. So
``instruments`` opens the folder before its import, and a process that is too late does not start.
"""

import os
import socket
import sys
from pathlib import Path

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

VARIABLE = "PROMETHEUS_MULTIPROC_DIR"
LIBRARY = "prometheus_client.values"  # the module that decides


def refuse_early_use() -> None:
    """Raise ``ImproperlyConfigured`` while the settings are being read, which do not name the folder yet."""
    if _settings_are_being_read():
        raise ImproperlyConfigured(
            "The settings import Sunwi's metrics while METRICS_FOLDER is not known yet. Import that part inside of the "
            "function that needs it."
        )


def open_folder(folder: str) -> str:
    """Make this machine's subfolder of ``folder``, and let prometheus-client count there; repeating it does nothing.

    Returns the absolute path of ``folder``; empty for none: then each process counts for itself. Raises
    ``ImproperlyConfigured`` if the subfolder cannot be made, or if prometheus-client already counts elsewhere.
    """
    if not folder:
        return ""
    own = Path(folder).resolve() / socket.gethostname()
    try:
        own.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise ImproperlyConfigured(f"METRICS_FOLDER: {own} cannot be made ({error.strerror}).") from None
    if LIBRARY in sys.modules and not _counts_in(own):
        raise ImproperlyConfigured(
            f"METRICS_FOLDER: prometheus_client was imported before the settings named the folder, so that this "
            f'process would count nothing in it. Put "foundation" first in INSTALLED_APPS and import prometheus_client '
            f"later than the settings, or start each process with {VARIABLE}={own}."
        )
    os.environ[VARIABLE] = str(own)
    return str(own.parent)


def _counts_in(own: Path) -> bool:
    in_files = getattr(sys.modules[LIBRARY].ValueClass, "_multiprocess", False)
    return in_files and os.environ.get(VARIABLE) == str(own)


def _settings_are_being_read() -> bool:
    module = sys.modules.get(os.environ.get("DJANGO_SETTINGS_MODULE", ""))
    return not settings.configured and getattr(getattr(module, "__spec__", None), "_initializing", False)
