"""Systemd units as far as tests need them: their settings, and processes with the environment that systemd gives."""

import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from config.local import child_process
from tests.security.front import HOST, ROOT
from tests.security.guarded import Guarded

UNITS = ROOT / "deploy" / "systemd"
SERVICES = ("sunwi-migrate.service", "sunwi-web.service", "sunwi-worker.service", "sunwi-beat.service")
BINARIES = "/opt/sunwi/.venv/bin"


def settings_of(unit: str) -> dict[str, list[str]]:
    """All values of each setting of a unit, in order."""
    found: dict[str, list[str]] = {}
    for name, value in re.findall(r"^(\w+)=(.*)$", (UNITS / unit).read_text(), re.MULTILINE):
        found.setdefault(name, []).append(value)
    return found


@dataclass(frozen=True)
class Machine:
    """Where the paths and addresses of the units lie for a test."""

    servers: Guarded
    folder: Path
    port: int

    def here(self, text: str) -> str:
        """The text with this machine's places."""
        ports = {"5432": self.servers.postgres, "6379": self.servers.boards, "6380": self.servers.passing}
        for documented, ours in ports.items():
            text = text.replace(f"127.0.0.1:{documented}", f"{HOST}:{ours}")
        text = text.replace(BINARIES, str(Path(sys.executable).parent)).replace("--port 8000", f"--port {self.port}")
        text = text.replace("/etc/sunwi/secrets", str(self.servers.secrets)).replace("/etc/sunwi", str(UNITS))
        text = text.replace("/opt/sunwi/collected", str(self.folder / "collected")).replace("/opt/sunwi", str(ROOT))
        return text.replace("/run/sunwi", str(self.folder / "run"))

    def environment(self, unit: str) -> dict[str, str]:
        """What the unit's processes get. As systemd has it, files override ``Environment=``."""
        settings, credentials = settings_of(unit), self.folder / "credentials" / unit
        credentials.mkdir(parents=True, exist_ok=True, mode=0o700)
        for each in settings["LoadCredential"]:
            name, _, source = self.here(each).partition(":")
            shutil.copy(source, credentials / name)
        given = [pair for line in settings["Environment"] for pair in shlex.split(line)]
        for file in settings["EnvironmentFile"]:
            lines = Path(self.here(file)).read_text().splitlines()
            given += [line for line in lines if line and not line.startswith("#")]
        pairs = (self.here(pair).replace("%d", str(credentials)).partition("=") for pair in given)
        return {name: value for name, _, value in pairs} | {"PATH": "/usr/bin:/bin"}

    def run_once(self, unit: str) -> None:
        """Run a oneshot unit's lines, one after the other; each must succeed."""
        for line in settings_of(unit)["ExecStart"]:
            command = shlex.split(self.here(line))
            done = subprocess.run(
                command, cwd=ROOT, env=self.environment(unit), capture_output=True, text=True, check=False
            )
            assert done.returncode == 0, f"{line}: {done.stderr[-3000:]}"

    def start(self, unit: str, stack: ExitStack, **more: str) -> Path:
        """Start a unit's process, which ends with ``stack``; the file of its log."""
        [line] = settings_of(unit)["ExecStart"]
        log = self.folder / f"{unit}.log"
        environment: Mapping[str, str] = self.environment(unit) | more
        with log.open("wb") as out:
            child = child_process.start(
                shlex.split(self.here(line)),
                cwd=ROOT,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=out,
            )
        stack.callback(child_process.stop, child, 30)
        return log
