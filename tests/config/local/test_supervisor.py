"""The supervisor on real processes: a program of its own runs it, signals come from outside; and the data folder."""

import contextlib
import json
import os
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from django.conf import settings

from config.local import data_folder as folders
from config.local.data_folder import DataFolder
from config.local.errors import DemoError, Stopped
from config.local.supervisor import Supervisor

ROOT = Path(settings.BASE_DIR)

# Runs the shell scripts it is given, in their order; each is ready when its file is there.
PROGRAM = """
import json, sys
from pathlib import Path
from config.local import data_folder as folders
from config.local.supervisor import Service, Supervisor, say
from config.local.errors import Stopped

scripts = json.loads(sys.argv[2])
with folders.claim(Path(sys.argv[1])) as folder:
    with Supervisor(folder, {"PATH": "/usr/bin:/bin"}, folder.root) as supervisor:
        try:
            for name, script in scripts.items():
                is_ready = (folder.root / f"{name}.ready").exists
                supervisor.start(Service(name, ["/bin/sh", "-c", script], is_ready, stop_seconds=60))
            say("ready")
            supervisor.watch()
        except Stopped:
            pass
    say("stopped")
"""

LIVE = "while :; do sleep 0.05; done"
MEEK = f"trap 'echo {{0}} >> ended; exit' TERM; touch {{0}}.ready; {LIVE}"
STUBBORN = f"trap '' TERM INT HUP; sleep 601 & echo $! > pid; mv pid stubborn.ready; {LIVE}"


class Program:
    """A running supervisor, what it says, and the pids it wrote down."""

    def __init__(self, folder: Path, **scripts: str) -> None:
        self.folder = folder
        self.process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, str(folder), json.dumps(scripts)],
            cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True,
        )  # fmt: skip  # as a table

    def line(self) -> str:
        assert self.process.stdout
        return self.process.stdout.readline().strip()

    def pid(self, name: str) -> int:
        return int((self.folder / "run" / f"{name}.pid").read_text())

    def grandchild(self) -> int:
        return int((self.folder / "stubborn.ready").read_text())

    def end(self) -> None:
        """Kill it, and what a killed supervisor may leave here: a stubborn child does not mind its death."""
        self.process.kill()
        self.process.communicate()
        for written in (self.folder / "run").glob("*.pid"):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(int(written.read_text()), signal.SIGKILL)


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., Program]]:
    started: list[Program] = []

    def start_program(**scripts: str) -> Program:
        started.append(Program(tmp_path / str(len(started)), **scripts))
        return started[-1]

    yield start_program
    for program in started:
        program.end()


@pytest.fixture
def program(start: Callable[..., Program]) -> Program:
    """One service that ends when it is asked, and one that has a child of its own and does not."""
    running = start(meek=MEEK.format("meek"), stubborn=STUBBORN)
    assert running.line() == "ready"
    return running


def is_alive(pid: int) -> bool:
    """Zombies are dead."""
    done = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False)
    return done.stdout.strip()[:1] not in ("", "Z")


def eventually(condition: Callable[[], bool], seconds: float = 20) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(0.02)
    return condition()


def test_a_killed_child_is_started_again_with_a_line_when_what_it_left_is_swept(program: Program) -> None:
    dead, orphan = program.pid("meek"), program.grandchild()

    os.kill(dead, signal.SIGKILL)
    said = program.line()
    os.kill(program.pid("stubborn"), signal.SIGKILL)

    assert said == f"meek (pid {dead}) was killed by SIGKILL; started again (pid {program.pid('meek')})"
    assert program.pid("meek") != dead
    assert is_alive(program.pid("meek"))
    assert "started again" in program.line()
    assert not is_alive(orphan)


@pytest.mark.long
def test_a_second_interrupt_ends_even_a_child_that_will_not(program: Program) -> None:
    everybody = [program.pid("meek"), program.pid("stubborn"), program.grandchild()]
    program.process.send_signal(signal.SIGINT)
    assert not eventually(lambda: not is_alive(everybody[1]), 0.5)

    program.process.send_signal(signal.SIGINT)

    assert program.line() == "stopped"
    assert program.process.wait(10) == 0
    assert not any(is_alive(pid) for pid in everybody)


@pytest.mark.long
def test_each_signal_stops_everything_last_started_first(start: Callable[..., Program]) -> None:
    names = ("first", "second", "third")
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    programs = {number: start(**{name: MEEK.format(name) for name in names}) for number in numbers}

    for number, program in programs.items():
        assert program.line() == "ready", number
        children = [program.pid(name) for name in names]

        program.process.send_signal(number)

        assert program.line() == "stopped", number
        assert program.process.wait(10) == 0, number
        assert (program.folder / "ended").read_text().split() == ["third", "second", "first"], number
        assert not any(is_alive(pid) for pid in children), number
        assert not list((program.folder / "run").glob("*.pid")), number


def test_what_nohup_started_outlives_its_terminal_and_its_shell(tmp_path: Path) -> None:
    command = [sys.executable, "-c", PROGRAM, str(tmp_path), json.dumps({"meek": MEEK.format("meek")})]
    shell = subprocess.Popen(
        ["/bin/sh", "-c", "trap '' HUP; \"$@\" & echo $!; wait", "sh", *command],
        cwd=ROOT, stdout=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip  # as a table
    assert shell.stdout
    pid = int(shell.stdout.readline())
    try:
        assert shell.stdout.readline() == "ready\n"
        os.killpg(shell.pid, signal.SIGHUP)
        shell.kill()
        shell.wait()

        assert not eventually(lambda: not is_alive(pid), 1)

        os.kill(pid, signal.SIGTERM)
        assert shell.stdout.readline() == "stopped\n"
        assert eventually(lambda: not is_alive(pid))
    finally:
        shell.kill()
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGTERM)
        shell.stdout.close()


def test_a_service_that_ends_at_its_start_is_reported_with_its_last_words(start: Callable[..., Program]) -> None:
    program = start(first=MEEK.format("first"), second="echo no room on the disk; exit 3")

    said, _ = program.process.communicate(timeout=30)

    assert "second stopped at its start: no room on the disk" in said
    assert (program.folder / "ended").read_text() == "first\n"


def test_a_folder_has_one_holder_at_a_time_and_a_file_in_its_place_is_refused_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("not a folder")

    with folders.claim(tmp_path), pytest.raises(DemoError, match="already runs"), folders.claim(tmp_path):
        pass
    with folders.claim(tmp_path) as folder:
        assert folder.root == tmp_path
    with pytest.raises(DemoError, match=r"can not be used[^\n]*\Z"), folders.claim(tmp_path / "data"):
        pass


def test_secrets_stay_from_start_to_start_for_their_owner_alone(tmp_path: Path) -> None:
    with folders.claim(tmp_path / "deep" / "data") as folder:
        key, passwords = folder.secret_key(), folder.passwords("admin", "player")
        folder.write_env({"SECRET_KEY": key, "PORT": "8000"})

    assert folder.secret_key() == key
    assert folder.passwords("admin", "player") == passwords
    assert passwords["admin"] != passwords["player"]
    modes = [stat.S_IMODE(path.stat().st_mode) for path in (folder.root, folder.env, folder.root / "logins.json")]
    assert modes == [0o700, 0o600, 0o600]


def test_damaged_settings_and_logins_are_refused(tmp_path: Path) -> None:
    folder = DataFolder(tmp_path)
    (tmp_path / "env").write_text("\x00\x00garbage\n")
    (tmp_path / "logins.json").write_text('{"admin": ')

    with pytest.raises(DemoError, match="env is damaged"):
        folder.secret_key()
    with pytest.raises(DemoError, match=r"logins\.json is damaged"):
        folder.passwords("admin")


class TestBeside:
    """What runs beside a block: the demo's seed, while its web server starts."""

    @pytest.fixture
    def supervisor(self, tmp_path: Path) -> Iterator[Supervisor]:
        with folders.claim(tmp_path) as folder:
            yield Supervisor(folder, {"PATH": "/usr/bin:/bin"}, tmp_path)

    def test_the_block_works_meanwhile_and_all_wait_for_the_end(self, supervisor: Supervisor, tmp_path: Path) -> None:
        script = "while [ ! -e go ]; do sleep 0.05; done; sleep 0.2; touch done"

        with supervisor.beside("seed", ["/bin/sh", "-c", script]) as child:
            assert child.poll() is None
            (tmp_path / "go").touch()

        assert (tmp_path / "done").exists()

    def test_its_failure_is_told_in_its_last_words(self, supervisor: Supervisor) -> None:
        script = ["/bin/sh", "-c", "echo no table; exit 3"]

        with pytest.raises(DemoError, match="no table"), supervisor.beside("seed", script) as child:
            child.wait()

    def test_they_are_told_too_where_what_waits_for_it_fails_as_well(self, supervisor: Supervisor) -> None:
        def wait_for_web() -> None:
            with supervisor.beside("seed", ["/bin/sh", "-c", "echo no table; exit 3"]) as child:
                child.wait()
                raise DemoError("web was not ready")

        with pytest.raises(DemoError, match="no table"):
            wait_for_web()

    def test_a_block_that_fails_leaves_none_of_it(self, supervisor: Supervisor) -> None:
        with pytest.raises(Stopped), supervisor.beside("seed", ["/bin/sleep", "600"]) as child:
            raise Stopped

        assert child.returncode == -signal.SIGKILL
