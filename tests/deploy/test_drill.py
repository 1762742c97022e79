"""The drills of docs/operations/backup.md, line by line, on servers with the roles and users that are shipped.

Docker, systemd and other users are stood for by small programs, which run the same commands on the test's own servers.
"""

import re
import shlex
import shutil
import subprocess
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.deploy.test_systemd import manage_here
from tests.deploy.units import UNITS, Machine
from tests.ports import free_port
from tests.security.front import ROOT
from tests.security.guarded import guarded, run_roles

PAGE = ROOT / "docs/operations/backup.md"
REDIS_CLI = shutil.which("redis-cli") or shutil.which("valkey-cli")
STARTS = {"Docker Compose": "docker compose up --detach    ", "systemd": "systemctl start"}


def drill(way: str) -> tuple[str, str]:
    """The lines of a drill up to the start of the others, and those after it."""
    section = PAGE.read_text().partition(f"### The drill with {way}\n")[2].partition("\n### ")[0]
    [block] = re.findall(r"```sh\n(.*?)```", section, re.DOTALL)
    before, start, after = block.partition(STARTS[way])
    assert start
    return before, after.partition("\n")[2]


def program(folder: Path, name: str, text: str) -> None:
    (folder / name).write_text(f"#!/bin/sh\nset -eu\n{text}\n")
    (folder / name).chmod(0o755)


def stand_ins(machine: Machine, folder: Path) -> dict[str, str]:
    """An environment whose `docker`, `systemctl` and the like act on the servers of the test."""
    servers, script = machine.servers, shlex.quote(str(folder / "sunwi-manage"))
    env_text = machine.here((UNITS / "sunwi.env").read_text())
    manage_here(folder, servers.secrets, env_text)
    roles = shlex.quote(str(ROOT / "config/servers/roles.sql"))
    program(folder, "runuser", 'test "$1 $2 $3" = "-u postgres --"; shift 3; exec "$@"')
    program(
        folder,
        "install",
        f"""rest=; while [ $# -gt 0 ]; do
  if [ "$1" = -o ]; then shift; else rest="$rest $1"; fi; shift; done; exec {shutil.which("install")} $rest""",
    )
    program(folder, "systemctl", ":")
    program(folder, "redis-cli", f'exec {REDIS_CLI} "$@"')
    program(
        folder,
        "docker",
        f"""case "$*" in
  "compose exec -T -u postgres postgres psql -f /docker-entrypoint-initdb.d/roles.sql")
    exec psql -v secrets={shlex.quote(str(servers.secrets))} -f {roles} ;;
  "compose exec -T -u postgres postgres "*) shift 6; exec "$@" ;;
  "compose exec -T boards valkey-cli "*) shift 5; exec redis-cli -p {servers.boards} "$@" ;;
  "compose exec -T web python manage.py "*) shift 6; exec {script} "$@" ;;
  "compose stop "*|"compose up "*) ;;
  *) echo "docker $*: not known" >&2; exit 64 ;;
esac""",
    )
    return {
        "PATH": f"{folder}:{servers.server.binaries}:/usr/bin:/bin",
        "PGHOST": str(servers.server.folder), "PGPORT": str(servers.postgres), "PGUSER": "postgres",
    }  # fmt: skip  # as a table


def bash(lines: str, folder: Path, environment: dict[str, str]) -> str:
    done = subprocess.run(
        ["bash", "-euxo", "pipefail", "-c", lines], cwd=folder, env=environment, capture_output=True, text=True,
        check=False, timeout=300,
    )  # fmt: skip  # as a table
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.long
@pytest.mark.skipif(REDIS_CLI is None, reason="redis-cli is not on this machine")
@pytest.mark.parametrize("way", [*STARTS])
def test_a_drill_runs_as_it_is_written(tmp_path: Path, way: str) -> None:
    with guarded(tmp_path / "servers") as servers, ExitStack() as stack:
        machine, folder = Machine(servers, tmp_path, free_port()), tmp_path / "bin"
        folder.mkdir()
        (tmp_path / "run").mkdir()
        (tmp_path / "secrets").symlink_to(servers.secrets)
        environment = stand_ins(machine, folder)
        machine.run_once("sunwi-migrate.service")
        (tmp_path / "boards.json").write_text('{"boards": [{"name": "Drill", "period": "day"}]}')
        (tmp_path / "scores.csv").write_text("player,points\nann,5\nbo,7\n")
        made = bash(f"sunwi-manage apply_boards {tmp_path}/boards.json", tmp_path, environment)
        number = re.findall(r'"Drill": (\d+)', made)[0]
        columns = f"--board {number} --player player --points points"
        bash(f"sunwi-manage import_scores {tmp_path}/scores.csv {columns}", tmp_path, environment)

        places = {"--board 6": f"--board {number}", "/run/sunwi-roles": str(tmp_path / "roles")}
        parts = []
        for part in drill(way):
            for shown, here in places.items():
                part = part.replace(shown, here)
            parts.append(machine.here(part))
        bash(parts[0], tmp_path, environment)
        machine.run_once("sunwi-migrate.service")
        for unit in ("sunwi-worker.service", "sunwi-beat.service"):
            machine.start(unit, stack)
        bash(parts[1], tmp_path, environment)

        assert "bo" in (tmp_path / "before.csv").read_text()
        with servers.sql("sunwi_app", servers.secret("database_password")) as connection:
            row = connection.execute(
                "SELECT pg_get_userbyid(datdba), has_database_privilege('public', 'sunwi', 'CONNECT')"
                " FROM pg_database WHERE datname = 'sunwi'"
            ).fetchone()
        assert row == ("sunwi_owner", False)


def test_roles_without_passwords_are_refused_and_nothing_is_changed(tmp_path: Path) -> None:
    with guarded(tmp_path / "servers") as servers:
        empty = tmp_path / "empty"
        empty.mkdir()
        (empty / "migrate_password").write_text("\n")
        (empty / "database_password").write_text("something\n")
        for folder in (empty, tmp_path / "none"):
            done = run_roles(servers, folder)
            assert done.returncode == 3
            assert f"No password in {folder}:" in done.stderr
        if not Path("/run/secrets").exists():
            done = run_roles(servers, None)
            assert (done.returncode, "No password in /run/secrets:" in done.stderr) == (3, True)
        for user, password in (("sunwi_owner", "migrate_password"), ("sunwi_app", "database_password")):
            servers.sql(user, servers.secret(password)).close()


def test_the_guide_of_systemd_makes_the_roles_by_the_same_lines() -> None:
    guide = (ROOT / "docs/operations/systemd-kubernetes.md").read_text()
    lines = [each for each in drill("systemd")[0].splitlines() if "sunwi-roles" in each]

    assert len(lines) == 3
    assert "\n".join(lines) in guide
