"""Each snippet of the README, the tutorial and the guides runs, on a demo, and prints what the page says."""

import os
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.config.local.test_supervisor import eventually
from tests.docs.snippets import differences, run, snippets
from tests.ports import free_port

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "docs/tutorial.md", *sorted((ROOT / "docs/guides").glob("*.md"))]
SITE = "127.0.0.1:8000"
# The guide of likes adds an app. A reader restarts the demo with it; here its worker knows nothing of recipes, and what
# it cannot count would be red for the doctor of the pages that follow.
UNCOUNTED = "from likes.models import LikeChange; LikeChange.objects.filter(kind='recipe').delete()"
# Reasons for which a snippet may be left out.
ALLOWED = ("another test runs it", "needs Docker", "needs another machine")


@dataclass(frozen=True)
class Demo:
    """A running demo without players."""

    folder: Path
    port: int

    @property
    def environment(self) -> dict[str, str]:
        """What a reader's shell has, and where the demo's folder is."""
        names = ("PATH", "HOME", "LANG")
        return {name: os.environ[name] for name in names if name in os.environ} | {"DATA_DIR": str(self.folder)}

    def answers(self) -> bool:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/boards/1/", timeout=2) as answer:
                return bool(answer.status == 200)
        except OSError:
            return False

    def has_worker(self) -> bool:
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/readyz", timeout=5) as answer:
            return b"sign of life" not in answer.read()


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Demo]:
    folder, port = tmp_path_factory.mktemp("demo") / "data", free_port()
    environment = {"PATH": os.environ["PATH"], "DATA_DIR": str(folder), "PORT": str(port), "DEMO_PLAYERS": "0"}
    output = folder.parent / "output"
    with output.open("w") as written:
        process = subprocess.Popen(
            [sys.executable, "-m", "config.local"],
            cwd=ROOT, env=environment, stdout=written, stderr=written, start_new_session=True,
        )  # fmt: skip  # as a table
    running = Demo(folder, port)
    try:
        eventually(running.answers, 90)
        eventually(lambda: "Ctrl-C" in output.read_text(), 60)
        eventually(running.has_worker, 60)
        yield running
    finally:
        os.killpg(process.pid, signal.SIGINT)
        process.wait(30)


@pytest.fixture
def checkout(demo: Demo, tmp_path: Path) -> Iterator[Path]:
    """A folder that looks like a checkout in which `make demo` has been run."""
    (tmp_path / ".venv/bin").mkdir(parents=True)
    (tmp_path / ".venv/bin/python").write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    (tmp_path / ".venv/bin/python").chmod(0o755)
    (tmp_path / ".data").symlink_to(demo.folder)
    for name in ("manage.py", "clients", "tests", "docs"):
        (tmp_path / name).symlink_to(ROOT / name)
    yield tmp_path
    command = [sys.executable, "manage.py", "shell", "-v", "0", "-c", UNCOUNTED]
    subprocess.run(command, cwd=tmp_path, env=demo.environment, check=True)


@pytest.mark.long
@pytest.mark.parametrize("document", PAGES, ids=lambda path: path.stem)
def test_what_a_page_shows_runs_and_prints_what_it_says(document: Path, demo: Demo, checkout: Path) -> None:
    shown, renamed = snippets(document), {SITE: f"127.0.0.1:{demo.port}"}

    printed = run(shown, checkout, renamed, demo.environment)

    differ = "\n".join(differences(shown, printed, renamed))
    assert not differ, differ


@pytest.mark.parametrize("document", PAGES, ids=lambda path: path.stem)
def test_each_snippet_is_run_or_says_why_not(document: Path) -> None:
    for snippet in snippets(document):
        where = f"{document.name}:{snippet.line}"
        if snippet.reason:
            assert snippet.reason.startswith(ALLOWED), where
        else:
            assert snippet.is_run or snippet.file, f"{where} is neither commands, nor their output, nor a file"
