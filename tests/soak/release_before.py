"""The release before this one, as git has it: code that must run beside this one's, on the same tables and keys.

``RELEASE_BEFORE`` is its tag, or its commit while there is no tag. Each release sets it to the release before; a commit
whose tables this release's code cannot share (a migration that renames or drops) is never one.
"""

import subprocess
from pathlib import Path

import pytest

from tests.faults.processes import ROOT

# The first commit with the tables that all later ones can share (docs/operations, "Releases").
RELEASE_BEFORE = "25ca4663"


def checkout(folder: Path) -> Path:
    """Its files, in ``folder``. Skips the test where this is no clone, or one without history."""
    archive = folder / "before.tar"
    done = subprocess.run(
        ["git", "archive", f"--output={archive}", RELEASE_BEFORE], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if done.returncode:
        pytest.skip(f"git has no {RELEASE_BEFORE} here: {done.stderr.strip()}")
    (folder / "before").mkdir()
    subprocess.run(["tar", "-xf", str(archive), "-C", str(folder / "before")], check=True)
    return folder / "before"
