"""The demo as a whole, with every process it starts."""

import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings

from config.local.demo import main, refuse_silent_redis
from config.local.errors import DemoError
from tests.config.local.test_supervisor import eventually
from tests.config.test_killed_runs import processes_of
from tests.ports import free_port

ROOT = Path(settings.BASE_DIR)


def environment(folder: Path, port: int) -> dict[str, str]:
    """Nothing of the tests' own servers: the demo brings its own."""
    return {"PATH": os.environ["PATH"], "DATA_DIR": str(folder), "PORT": str(port), "DEMO_PLAYERS": "8"}


class Demo:
    """One running demo, in a session of its own as if in a terminal of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.output = folder, folder.parent / f"{folder.name}.out"
        self.start()

    def start(self) -> None:
        """Once more in the same folder, too."""
        self.port = free_port()
        with self.output.open("w") as output:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "config.local"],
                cwd=ROOT, env=environment(self.folder, self.port), stdout=output, stderr=output, start_new_session=True,
            )  # fmt: skip  # as a table

    def said(self) -> str:
        return self.output.read_text()

    def read(self, path: str) -> Any:
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=5) as answer:
            return json.loads(answer.read())

    def points_move(self) -> bool:
        """False too while the site is away, as it may be just after something was killed."""
        address = "/api/v1/boards/1/standings"
        try:
            before = [row["points"] for row in self.read(address)["rows"]]
            time.sleep(0.5)
            return bool(before) and [row["points"] for row in self.read(address)["rows"]] != before
        except OSError:
            return False

    def interrupt(self) -> None:
        """Ctrl-C: it ends in order, and leaves no process behind."""
        os.killpg(self.process.pid, signal.SIGINT)
        assert self.process.wait(30) == 0, self.said()
        assert self.processes() == {}

    def processes(self) -> dict[str, str]:
        """Everything that was started with this folder in its environment or arguments."""
        return processes_of(str(self.folder), str(self.folder))


@pytest.fixture
def demo(tmp_path: Path) -> Iterator[Demo]:
    """A demo that has just been started."""
    running = Demo(tmp_path / "data")
    yield running
    running.process.kill()
    running.process.wait()


def refused(folder: Path, port: int) -> str:
    """What a demo that can not start says: one line, and a status that is not zero."""
    done = subprocess.run(
        [sys.executable, "-m", "config.local"],
        cwd=ROOT, env=environment(folder, port), capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip  # as a table
    assert done.returncode == 1
    line = done.stderr.strip()
    assert "\n" not in line, line
    return line


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
class TestTheDemo:
    """What the supervisor itself does with its children is in test_supervisor.py."""

    def test_it_plays_heals_and_keeps_others_out_until_an_interrupt_or_a_kill_leaves_nothing_behind(
        self, demo: Demo, tmp_path: Path
    ) -> None:
        assert eventually(lambda: "Try first" in demo.said() or demo.process.poll() is not None, 240), demo.said()
        assert eventually(demo.points_move), demo.said()

        rows = demo.read("/api/v1/competitions")["rows"]
        assert {row["state"] for row in rows} == {"running", "open", "final"}
        assert all(row["participants"] for row in rows)

        logins = json.loads((demo.folder / "logins.json").read_text())
        assert dict(re.findall(r"(demo-\w+) / (\S+)", demo.said())) == logins

        assert "already runs" in refused(demo.folder, free_port())
        assert f"Port {demo.port} on 127.0.0.1 is taken" in refused(tmp_path / "other", demo.port)

        for name in ("web", "worker", "beat", "redis"):
            dead = int((demo.folder / "run" / f"{name}.pid").read_text())
            os.kill(dead, signal.SIGKILL)

            again = f"{name} (pid {dead}) was killed by SIGKILL; started again"
            assert eventually(lambda again=again: again in demo.said()), name  # type: ignore[misc]  # mypy cannot type a lambda with a default
            assert eventually(demo.points_move), name

        demo.interrupt()
        assert not list((demo.folder / "run").glob("*.pid"))

        # Killed during its next start, in the folder that it has: to make the tables anew takes long.
        demo.start()
        assert eventually((demo.folder / "run" / "web.pid").exists, 240), demo.said()

        demo.process.kill()
        demo.process.wait()

        assert eventually(lambda: not demo.processes(), 20), demo.processes()

    def test_an_interrupt_during_the_start_leaves_nothing_behind(self, demo: Demo) -> None:
        assert eventually((demo.folder / "run" / "redis.pid").exists), demo.said()

        demo.interrupt()

    def test_damaged_files_are_said_in_one_line(self, tmp_path: Path) -> None:
        database, manifest = tmp_path / "db.sqlite3", tmp_path / "redis/appendonlydir/appendonly.aof.manifest"
        database.write_text("this is no database" * 400)
        assert "The database can not be used: " in refused(tmp_path, free_port())

        manifest.parent.mkdir(parents=True, exist_ok=True)
        manifest.write_text("no manifest\n")
        assert "redis stopped at its start: " in refused(tmp_path, free_port())


def test_a_port_that_is_none_and_a_redis_that_does_not_answer_are_refused_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DATA_DIR", str(tmp_path))
    for port in ("http", "0", "65536", "-1"):
        monkeypatch.setenv("PORT", port)

        assert main() == 1
        assert capsys.readouterr().err == f"demo: PORT is {port!r}; it must be a whole number from 1 to 65535.\n"

    with pytest.raises(DemoError, match="REDIS_URL does not answer"):
        refuse_silent_redis(f"redis://127.0.0.1:{free_port()}/0")
