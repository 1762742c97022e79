"""Which Sunwi this is: its version and its commit."""

import os
from collections.abc import Iterable
from functools import cache
from importlib import metadata
from pathlib import Path

from prometheus_client.core import GaugeMetricFamily

from foundation import file_locations
from foundation.monitoring.readings import Reading, to_families


@cache
def version() -> str:
    """Sunwi's version, from the checkout's project file or from the installed package."""
    if file_locations.CHECKOUT:
        import tomllib

        return str(tomllib.loads((file_locations.CHECKOUT / "pyproject.toml").read_text("utf-8"))["project"]["version"])
    return metadata.version("sunwi")


@cache
def commit() -> str | None:
    """The running commit: from GIT_COMMIT, which is set in images, or from the checkout; None if unknown."""
    if commit := os.environ.get("GIT_COMMIT"):
        return commit
    return _read_head_commit(file_locations.CHECKOUT / ".git") if file_locations.CHECKOUT else None


def build_info() -> Iterable[GaugeMetricFamily]:
    """The metric that tells both of the process that is asked; an unknown commit is empty."""
    text = "1, with the version and commit that run."
    return to_families([Reading("sunwi_build_info", text, 1, ("version", version(), "commit", commit() or ""))])


def _read_head_commit(git: Path) -> str | None:
    try:
        head = (git / "HEAD").read_text("ascii").strip()
        if not head.startswith("ref: "):
            return head
        ref = head.removeprefix("ref: ")
        if (git / ref).is_file():
            return (git / ref).read_text("ascii").strip()
        packed = (git / "packed-refs").read_text("ascii").splitlines()
        return next((line.split()[0] for line in packed if line.endswith(f" {ref}")), None)
    except OSError:
        return None
