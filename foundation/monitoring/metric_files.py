"""The folder in which the processes of one machine count: METRICS_FOLDER, with a subfolder for each machine.

The trap: prometheus-client decides when it is first imported whether it counts in files, by PROMETHEUS_MULTIPROC_DIR.
A process that imports it before that is set counts in its own memory, and no other process ever tells of it. So
``instruments`` opens the folder before its import, and a process that is too late does not start.
"""

import logging
import os
import socket
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

if TYPE_CHECKING:
    from prometheus_client.metrics_core import Metric

logger = logging.getLogger(__name__)

VARIABLE = "PROMETHEUS_MULTIPROC_DIR"
LIBRARY = "prometheus_client.values"  # the module that decides
_logged: set[str] = set()  # files that this process has logged as unreadable


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


def merged_counts(folder: str) -> Iterable["Metric"]:
    """Add up what the processes of all machines count in ``folder``.

    A file that is empty, cut off or none of theirs is left out, and logged once by each process: a full disk or a
    killed machine leaves one behind, and the counts of the others must still be told.
    """
    files = [str(each) for each in Path(folder).glob("*/*.db")]
    try:
        return _merge(files)
    except Exception:  # the library raises whatever its parsing happens to raise
        return _merge([each for each in files if _is_readable(each)])


def _is_readable(file: str) -> bool:
    try:
        _merge([file])
    except FileNotFoundError:  # deleted a moment ago
        return False
    except Exception as error:
        if file not in _logged:
            _logged.add(file)
            said = f"{type(error).__name__}: {error}"
            logger.warning(
                "METRICS_FOLDER: %s cannot be read (%s) and is left out; delete it if it stays so", file, said
            )
        return False
    _logged.discard(file)  # it was only being made
    return True


def _merge(files: list[str]) -> Iterable["Metric"]:
    from prometheus_client.multiprocess import MultiProcessCollector  # not before the folder is open

    merged: Iterable[Metric] = MultiProcessCollector.merge(files)  # type: ignore[no-untyped-call]  # it has no types
    return merged


def _counts_in(own: Path) -> bool:
    in_files = getattr(sys.modules[LIBRARY].ValueClass, "_multiprocess", False)
    return in_files and os.environ.get(VARIABLE) == str(own)


def _settings_are_being_read() -> bool:
    module = sys.modules.get(os.environ.get("DJANGO_SETTINGS_MODULE", ""))
    return not settings.configured and getattr(getattr(module, "__spec__", None), "_initializing", False)
