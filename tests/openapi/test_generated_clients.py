"""The OpenAPI document: two linters find nothing, and clients that two generators make of it work."""

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
from pytest_django.live_server_helper import LiveServer

from tests.foundation.factories import KeyFactory
from tests.openapi.conftest import HERE, npm_tool, run
from tests.playing import make_board

pytestmark = pytest.mark.long


def test_redocly_finds_nothing(document: Path) -> None:
    lint = npm_tool("redocly")

    run(lint, "lint", document, "--config", HERE / "redocly.yaml", "--max-problems", "1000", cwd=HERE)


def test_spectral_finds_nothing(document: Path) -> None:
    lint = npm_tool("spectral")

    run(lint, "lint", document, "--ruleset", HERE / "spectral.yaml", "--fail-severity", "hint", cwd=HERE)


def told(printed: str) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(printed.strip().splitlines()[-1])
    return answer


@pytest.mark.usefixtures("links")
def test_a_client_in_typescript_is_generated_checked_and_works(
    live_server: LiveServer, document: Path, tmp_path: Path
) -> None:
    generate, compile_ = npm_tool("openapi-typescript"), npm_tool("tsc")
    board, key = make_board(storage="sql"), KeyFactory.create()
    for name in ("client.mts", "tsconfig.json", "package.json"):
        shutil.copy(HERE / name, tmp_path)
    (tmp_path / "node_modules").symlink_to(HERE / "node_modules")

    run(generate, document, "--output", tmp_path / "api.ts", cwd=tmp_path)
    run(compile_, "--project", tmp_path, cwd=tmp_path)
    printed = run("node", tmp_path / "client.mjs", live_server.url, key, str(board), cwd=tmp_path)

    assert told(printed) == {"status": "updated", "player": "typescript", "points": 7, "next": None}


@pytest.mark.usefixtures("links")
def test_a_client_in_python_is_generated_checked_and_works(
    live_server: LiveServer, document: Path, tmp_path: Path
) -> None:
    why = "`make long` installs openapi-python-client and mypy"
    pytest.importorskip("openapi_python_client", reason=why)
    pytest.importorskip("mypy", reason=why)
    board, key = make_board(storage="sql"), KeyFactory.create()
    config = tmp_path / "config.yml"
    config.write_text("package_name_override: sunwi_generated\npost_hooks: []\n", encoding="utf-8")
    shutil.copy(HERE / "use_python.txt", tmp_path / "use.py")
    made = tmp_path / "sunwi_generated"

    python = (sys.executable, "-m")
    generate = (*python, "openapi_python_client", "generate", "--path", document, "--config", config)
    warned = run(*generate, "--meta", "none", "--output-path", made, "--fail-on-warning", cwd=tmp_path)
    run(*python, "mypy", "--strict", "--cache-dir", tmp_path / "cache", "use.py", cwd=tmp_path)
    printed = run(sys.executable, tmp_path / "use.py", live_server.url, key, str(board), cwd=tmp_path)

    assert "Warning" not in warned
    assert told(printed) == {"status": "updated", "player": "python", "points": 7, "next": None}
