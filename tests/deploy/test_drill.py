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
from tests.security.guarded import Guarded, guarded, run_roles

PAGE = ROOT / "docs/operations/backup.md"
REDIS_CLI = shutil.which("redis-cli") or shutil.which("valkey-cli")
PROGRAMS = ("psql", "pg_dump", "pg_restore", "dropdb")
STARTS = {"Docker Compose": "docker compose up --detach    ", "systemd": "systemctl start"}


def drill(way: str) -> tuple[str, str]:
    """The lines of a drill up to the start of the others, and those after it."""
    section = PAGE.read_text().partition(f"### The drill with {way}\n")[2].partition("\n### ")[0]
    [block] = re.findall(r"```sh\n(.*?)```", section, re.DOTALL)
    before, start, after = block.partition(STARTS[way])
    assert start
    return before, after.partition("\n")[2]


def lines_here(machine: Machine, text: str, number: str) -> str:
    """The lines with the places of a test, and the number of its board."""
    text = text.replace("--board 6", f"--board {number}").replace("/run/sunwi-roles", f"{machine.folder}/roles")
    return machine.here(text)


def program(folder: Path, name: str, text: str) -> None:
    (folder / name).write_text(f"#!/bin/sh\nset -eu\n{text}\n")
    (folder / name).chmod(0o755)


def stand_ins(machine: Machine, folder: Path) -> dict[str, str]:
    """An environment whose `docker`, `systemctl` and the like act on the servers of the test."""
    folder.mkdir()
    (machine.folder / "run").mkdir()
    (machine.folder / "secrets").symlink_to(machine.servers.secrets)
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
    later = shlex.quote("CREATE TABLE later (id integer)")  # what the site did after the dump
    program(folder, "systemctl", f"test $1 = stop && exec psql -q -d sunwi -c {later}")
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
  "compose stop proxy web worker beat") exec psql -q -d sunwi -c {later} ;;
  "compose up --detach --wait postgres boards") ;;
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


def a_board(folder: Path, environment: dict[str, str]) -> str:
    """The number of a board with two players."""
    (folder / "boards.json").write_text('{"boards": [{"name": "Drill", "period": "day"}]}')
    (folder / "scores.csv").write_text("player,points\nann,5\nbo,7\n")
    made = bash(f"sunwi-manage apply_boards {folder}/boards.json", folder, environment)
    number = str(re.findall(r'"Drill": (\d+)', made)[0])
    columns = f"--board {number} --player player --points points"
    bash(f"sunwi-manage import_scores {folder}/scores.csv {columns}", folder, environment)
    return number


@pytest.mark.long
@pytest.mark.skipif(REDIS_CLI is None, reason="redis-cli is not on this machine")
@pytest.mark.parametrize("way", [*STARTS])
def test_a_drill_runs_as_it_is_written(tmp_path: Path, way: str) -> None:
    with guarded(tmp_path / "servers") as servers, ExitStack() as stack:
        machine = Machine(servers, tmp_path, free_port())
        environment = stand_ins(machine, tmp_path / "bin")
        if missing := [each for each in PROGRAMS if not shutil.which(each, path=environment["PATH"])]:
            pytest.skip(f"not on this machine: {missing}")
        machine.run_once("sunwi-migrate.service")
        number = a_board(tmp_path, environment)
        before, after = (lines_here(machine, part, number) for part in drill(way))
        for database in (0, 3):
            with servers.redis("boards", "admin", "boards_admin_password", database) as client:
                client.set("later", "1")

        bash(before, tmp_path, environment)

        assert "bo" in (tmp_path / "before.csv").read_text()
        assert keys_of(servers, 0) == []
        assert keys_of(servers, 3) == ["later"]  # another database number is not the boards'
        assert not (tmp_path / "roles").exists()
        machine.run_once("sunwi-migrate.service")
        for unit in ("sunwi-worker.service", "sunwi-beat.service"):
            machine.start(unit, stack)

        told = bash(after, tmp_path, environment)

        assert '"differences": []' in told
        assert keys_of(servers, 0)
        assert rights(servers) == RIGHTS


def keys_of(servers: Guarded, database: int) -> list[str]:
    with servers.redis("boards", "admin", "boards_admin_password", database) as client:
        return [str(key) for key in client.scan_iter()]


RIGHTS = {
    "owner of the database": "sunwi_owner",
    "owners of tables": ["sunwi_owner"],
    "everybody connects": False,
    "large objects": False,
    "what came after the dump": None,
}


def rights(servers: Guarded) -> dict[str, object]:
    """What a restore can lose, as the application's own role sees it."""
    with servers.sql("sunwi_app", servers.secret("database_password")) as connection:
        row = connection.execute(
            "SELECT (SELECT pg_get_userbyid(datdba) FROM pg_database WHERE datname = current_database()),"
            " (SELECT array_agg(DISTINCT tableowner::text) FROM pg_tables WHERE schemaname = 'public'),"
            " has_database_privilege('public', current_database(), 'CONNECT'),"
            " has_function_privilege('lo_create(oid)', 'EXECUTE'), to_regclass('public.later')"
        ).fetchone()
    assert row
    return dict(zip(RIGHTS, row, strict=True))


@pytest.mark.skipif(REDIS_CLI is None, reason="redis-cli is not on this machine")
@pytest.mark.parametrize("way", [*STARTS])
def test_a_redis_that_was_not_emptied_ends_the_drill(tmp_path: Path, way: str) -> None:
    """Also in a plain shell: redis-cli itself ends with 0 where the server refuses."""
    with guarded(tmp_path / "servers") as servers:
        machine = Machine(servers, tmp_path, free_port())
        environment = stand_ins(machine, tmp_path / "bin")
        with servers.redis("boards", "admin", "boards_admin_password") as client:
            client.set("later", "1")
        [line] = re.findall(r"^.*FLUSHDB(?:\\\n|.)*$", drill(way)[0], re.MULTILINE)
        line = lines_here(machine, line, "6").replace("boards_admin_password", "boards_password")

        done = subprocess.run(["sh", "-c", line], cwd=tmp_path, env=environment, check=False)

        assert done.returncode == 1
        assert keys_of(servers, 0) == ["later"]


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
    [lines] = re.findall(r"^install .*?^rm -r /run/sunwi-roles$", drill("systemd")[0], re.MULTILINE | re.DOTALL)

    assert "config/servers/roles.sql" in lines
    assert f"```sh\n{lines}\n```" in guide
