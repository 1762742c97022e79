"""The document as the site serves it, and what npm installed to check it with."""

import os
import subprocess
from pathlib import Path

import pytest
from django.test import Client

from tests.links import links

__all__ = ["links"]

HERE = Path(__file__).parent
QUIET = {"REDOCLY_TELEMETRY": "off", "REDOCLY_SUPPRESS_UPDATE_NOTICE": "true"}  # the linters ask nobody
TOOLS = HERE / "node_modules" / ".bin"


def run(*command: str | Path, cwd: Path) -> str:
    """What the command prints; it must succeed."""
    done = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env=os.environ | QUIET,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def npm_tool(name: str) -> Path:
    """The path of a tool; skips where `make npm-tools` has not installed it."""
    if not (TOOLS / name).exists():
        pytest.skip("`make long` installs what npm has for it (make npm-tools)")
    return TOOLS / name


@pytest.fixture
def document(db: None, tmp_path: Path) -> Path:
    """The file of the OpenAPI document."""
    path = tmp_path / "openapi.json"
    path.write_bytes(Client().get("/api/openapi.json").content)
    return path
