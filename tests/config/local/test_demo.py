"""The demo as a whole, with every process it starts."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings

ROOT = Path(settings.BASE_DIR)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def environment(folder: Path, port: int, **more: str) -> dict[str, str]:
    """Nothing of the tests' own servers: the demo brings its own."""
    return {"PATH": os.environ["PATH"], "DATA_DIR": str(folder), "PORT": str(port), "DEMO_PLAYERS": "8", **more}


class Demo:
    """One running demo, in a session of its own as if in a terminal of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.port = folder, free_port()
        self.output = folder.parent / f"{folder.name}.out"
        with self.output.open("w") as output:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "config.local"],
                cwd=ROOT, env=environment(folder, self.port), stdout=output, stderr=output, start_new_session=True,
            )  # fmt: skip  # as a table

    def said(self) -> str:
        return self.output.read_text()

    def pid(self, name: str) -> int:
        return int((self.folder / "run" / f"{name}.pid").read_text())

    def read(self, path: str) -> Any:
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=5) as answer:
            return json.loads(answer.read())

    def points(self) -> dict[str, Any]:
        return {row["player"]: row["points"] for row in self.read("/api/v1/boards/1/standings")["rows"]}

    def points_move(self) -> bool:
        """False too while the site is away, as it may be just after something was killed."""
        try:
            before = self.points()
            time.sleep(0.5)
            return bool(before) and self.points() != before
        except OSError:
            return False

    def processes(self) -> list[int]:
        """Everything that was started with this folder in its environment or arguments."""
        marker, found = str(self.folder).encode(), []
        for process in Path("/proc").glob("[0-9]*"):
            try:
                told = (process / "environ").read_bytes() + (process / "cmdline").read_bytes()
                state = (process / "stat").read_text().rpartition(")")[2].split()[0]
            except OSError:
                continue
            if marker in told and state != "Z":
                found.append(int(process.name))
        return found


def eventually(condition: Callable[[], Any], seconds: float = 30) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(0.05)
    return bool(condition())


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Demo]:
    running = Demo(tmp_path_factory.mktemp("demo") / "data")
    ready = eventually(lambda: "Try first" in running.said() or running.process.poll() is not None, 60)
    assert ready, running.said()
    assert running.process.poll() is None, running.said()
    yield running
    if running.process.poll() is None:
        running.process.kill()
        running.process.wait()


def refused(folder: Path, port: int, **more: str) -> str:
    """What a demo that can not start says: one line, and a status that is not zero."""
    done = subprocess.run(
        [sys.executable, "-m", "config.local"],
        cwd=ROOT, env=environment(folder, port, **more), capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip  # as a table
    assert done.returncode == 1
    line = done.stderr.strip()
    assert "\n" not in line, line
    return line


pytestmark = pytest.mark.slow


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
class TestTheDemo:
    """What holds while it runs. The tests share one demo and leave it running."""

    def test_points_move(self, demo: Demo) -> None:
        assert eventually(demo.points_move)

    def test_competitions_run_are_to_come_and_are_over(self, demo: Demo) -> None:
        rows = demo.read("/api/v1/competitions")["rows"]

        assert {row["state"] for row in rows} == {"running", "open", "final"}
        assert all(row["participants"] for row in rows)

    def test_it_prints_logins_that_are_kept_in_its_folder(self, demo: Demo) -> None:
        logins = json.loads((demo.folder / "logins.json").read_text())

        printed = dict(re.findall(r"(demo-\w+) / (\S+)", demo.said()))

        assert printed == logins

    def test_commands_work_beside_it(self, demo: Demo) -> None:
        done = subprocess.run(
            [sys.executable, "manage.py", "periods", "--board", "1", "--at", "2017-09-12T00:00:00Z", "--next", "1"],
            cwd=ROOT, env={"PATH": os.environ["PATH"], "DATA_DIR": str(demo.folder)},
            capture_output=True, text=True, check=False,
        )  # fmt: skip  # as a table

        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["period"]["label"] == "2017-37"

    def test_a_second_start_in_its_folder_is_refused(self, demo: Demo) -> None:
        assert "already runs" in refused(demo.folder, free_port())

    def test_its_port_is_taken(self, demo: Demo, tmp_path: Path) -> None:
        assert f"Port {demo.port} on 127.0.0.1 is taken" in refused(tmp_path / "other", demo.port)

    @pytest.mark.parametrize("name", ["web", "worker", "beat", "redis"])
    def test_what_is_killed_comes_back(self, demo: Demo, name: str) -> None:
        dead = demo.pid(name)

        os.kill(dead, signal.SIGKILL)

        assert eventually(lambda: f"{name} (pid {dead}) was killed by SIGKILL; started again" in demo.said())
        assert eventually(demo.points_move)


@pytest.fixture
def own_demo(tmp_path: Path) -> Iterator[Demo]:
    """A demo for one test that ends it."""
    running = Demo(tmp_path / "data")
    yield running
    running.process.kill()
    running.process.wait()


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_an_interrupt_leaves_nothing_behind(own_demo: Demo) -> None:
    assert eventually(lambda: "Try first" in own_demo.said(), 60), own_demo.said()

    os.killpg(own_demo.process.pid, signal.SIGINT)

    assert own_demo.process.wait(30) == 0, own_demo.said()
    assert own_demo.processes() == []
    assert not list((own_demo.folder / "run").glob("*.pid"))


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_an_interrupt_during_the_start_leaves_nothing_behind(own_demo: Demo) -> None:
    assert eventually((own_demo.folder / "run" / "redis.pid").exists), own_demo.said()

    os.killpg(own_demo.process.pid, signal.SIGINT)

    assert own_demo.process.wait(30) == 0, own_demo.said()
    assert own_demo.processes() == []


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_a_killed_supervisor_leaves_nothing_behind(own_demo: Demo) -> None:
    assert eventually((own_demo.folder / "run" / "web.pid").exists, 60), own_demo.said()

    own_demo.process.kill()
    own_demo.process.wait()

    assert eventually(lambda: not own_demo.processes(), 20), own_demo.processes()


def test_a_damaged_database_is_said_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "db.sqlite3").write_bytes(b"this is no database" * 400)

    assert "The database can not be used: " in refused(tmp_path, free_port())


def test_damaged_redis_files_are_said_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "redis" / "appendonlydir").mkdir(parents=True)
    (tmp_path / "redis" / "appendonlydir" / "appendonly.aof.manifest").write_text("no manifest\n")

    assert "redis stopped at its start: " in refused(tmp_path, free_port())


@pytest.mark.parametrize("port", ["http", "0", "65536", "-1"])
def test_a_port_that_is_none_is_refused(tmp_path: Path, port: str) -> None:
    assert "PORT is" in refused(tmp_path, 0, PORT=port)


def test_a_redis_that_does_not_answer_is_refused(tmp_path: Path) -> None:
    line = refused(tmp_path, free_port(), REDIS_URL=f"redis://127.0.0.1:{free_port()}/0")

    assert "REDIS_URL does not answer" in line
