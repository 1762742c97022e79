"""The supervisor on real processes: a program of its own runs it, and signals come from outside."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from django.conf import settings

ROOT = Path(settings.BASE_DIR)

# Two services: one that ends when asked, and one that has a child of its own and will not end.
PROGRAM = """
import sys
from pathlib import Path
from config.local import folder as folders
from config.local.supervisor import Service, Supervisor, say
from config.local.trouble import Stopped

meek = [sys.executable, "-c", "import time; time.sleep(600)"]
stubborn = ["/bin/sh", "-c", "trap '' TERM INT HUP; sleep 601 & echo $! > $OUT/grandchild; while :; do sleep 1; done"]
with folders.claim(Path(sys.argv[1])) as folder:
    with Supervisor(folder, {"OUT": sys.argv[1], "PATH": "/usr/bin:/bin"}, Path.cwd()) as supervisor:
        try:
            supervisor.start(Service("meek", meek))
            supervisor.start(Service("stubborn", stubborn, ready=(folder.root / "grandchild").exists, stop_seconds=60))
            say("ready")
            supervisor.watch()
        except Stopped:
            pass
    say("stopped")
"""


class Program:
    """A running supervisor, what it says, and the pids it wrote down."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, str(folder)],
            cwd=ROOT, stdout=subprocess.PIPE, text=True, start_new_session=True,
        )  # fmt: skip
        assert self.line() == "ready"

    def line(self) -> str:
        assert self.process.stdout
        return self.process.stdout.readline().strip()

    def pid(self, name: str) -> int:
        path = self.folder / "grandchild" if name == "grandchild" else self.folder / "run" / f"{name}.pid"
        return int(path.read_text())

    def sweep(self) -> None:
        """Kill what a killed supervisor may leave here: the stubborn child will not hear of its death."""
        for written in (self.folder / "run").glob("*.pid"):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(int(written.read_text()), signal.SIGKILL)

    def everybody(self) -> list[int]:
        return [self.pid(name) for name in ("meek", "stubborn", "grandchild")]


@pytest.fixture
def program(tmp_path: Path) -> Iterator[Program]:
    running = Program(tmp_path)
    yield running
    running.process.kill()
    running.process.communicate()
    running.sweep()


def is_alive(pid: int) -> bool:
    """Zombies are dead."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def eventually(condition: Callable[[], bool], seconds: float = 20) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(0.02)
    return condition()


def test_a_killed_child_is_started_again_and_a_line_says_so(program: Program) -> None:
    dead = program.pid("meek")

    os.kill(dead, signal.SIGKILL)

    assert program.line() == f"meek (pid {dead}) was killed by SIGKILL; started again (pid {program.pid('meek')})"
    assert program.pid("meek") != dead
    assert is_alive(program.pid("meek"))


def test_what_a_killed_child_leaves_is_swept_before_the_next_one_starts(program: Program) -> None:
    orphan = program.pid("grandchild")

    os.kill(program.pid("stubborn"), signal.SIGKILL)

    assert "started again" in program.line()
    assert not is_alive(orphan)


def test_a_second_interrupt_ends_even_a_child_that_will_not(program: Program) -> None:
    children = program.everybody()

    program.process.send_signal(signal.SIGINT)
    still_asked_for = eventually(lambda: not is_alive(children[2]), 0.5)
    program.process.send_signal(signal.SIGINT)

    assert not still_asked_for
    assert program.line() == "stopped"
    assert program.process.wait(10) == 0
    assert not any(is_alive(pid) for pid in children)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_each_signal_stops_everything_in_reverse(tmp_path: Path, number: signal.Signals) -> None:
    program = Program(tmp_path)
    children = program.everybody()
    os.kill(program.pid("stubborn"), signal.SIGKILL)  # its successor is sent away by the second signal below

    program.process.send_signal(number)
    program.process.send_signal(number)
    said, _ = program.process.communicate(timeout=20)

    assert said.endswith("stopped\n")
    assert program.process.returncode == 0
    assert eventually(lambda: not any(is_alive(pid) for pid in children))
    assert not list((tmp_path / "run").glob("*.pid"))


def test_children_do_not_outlive_a_killed_supervisor(program: Program) -> None:
    meek = program.pid("meek")

    program.process.kill()

    assert eventually(lambda: not is_alive(meek))


def test_a_service_that_ends_at_its_start_is_reported_with_its_last_words(tmp_path: Path) -> None:
    failing = PROGRAM.replace('"import time; time.sleep(600)"', "\"raise SystemExit('no room on the disk')\"").replace(
        'Service("meek", meek)', 'Service("meek", meek, ready=lambda: False)'
    )

    done = subprocess.run(
        [sys.executable, "-c", failing, str(tmp_path)],
        cwd=ROOT, capture_output=True, text=True, check=False, timeout=30,
    )  # fmt: skip

    assert "meek stopped at its start: no room on the disk" in done.stderr
    assert not list((tmp_path / "run").glob("*.pid"))
