"""The commands of docs/operations/upgrade.md that take this release back, on servers with the roles that are shipped.

Docker and systemd are stood for by small programs, which run the same commands on the test's own servers.
"""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.deploy.test_drill import bash, program
from tests.deploy.test_systemd import manage_here
from tests.deploy.units import UNITS, Machine
from tests.ports import free_port
from tests.security.front import ROOT
from tests.security.guarded import Guarded, guarded

# The migration of each app that renames its columns.
RENAMED = {"leaderboards": 25, "likes": 5, "competitions": 17}


def told_blocks() -> list[str]:
    """The commands with Docker Compose, and those with systemd."""
    page = (ROOT / "docs/operations/upgrade.md").read_text()
    section = page.partition("#### Taking this release back\n")[2].partition("\n#### ")[0]
    return re.findall(r"```sh\n(.*?)```", section, re.DOTALL)


def stand_ins(machine: Machine, folder: Path) -> dict[str, str]:
    """An environment whose `docker`, `systemctl` and `install` act on the servers of the test."""
    folder.mkdir()
    servers = machine.servers
    env_text, owner_text = (machine.here((UNITS / f"{name}.env").read_text()) for name in ("sunwi", "sunwi-migrate"))
    manage_here(folder, servers.secrets, env_text, owner_text=owner_text)
    variables = servers.whole_environment("migrate", machine.folder / "data")
    given = " ".join(f"{name}={shlex.quote(value)}" for name, value in variables.items())
    program(
        folder,
        "docker",
        f"""case "$*" in
  "compose stop proxy web worker beat") ;;
  "compose run --rm migrate python manage.py "*)
    shift 6; cd {shlex.quote(str(ROOT))}; exec env {given} {sys.executable} manage.py "$@" ;;
  *) echo "docker $*: not known" >&2; exit 64 ;;
esac""",
    )
    program(folder, "systemctl", 'test "$*" = "stop sunwi-web sunwi-worker sunwi-beat sunwi-migrate"')
    program(folder, "install", 'test "$*" = "-m 755 /opt/sunwi/deploy/systemd/sunwi-manage /usr/local/sbin/"')
    return {"PATH": f"{folder}:/usr/bin:/bin"}


def applied(servers: Guarded) -> set[str]:
    """The apps whose columns have this release's names, as the table of migrations has it."""
    with servers.sql("sunwi_owner", servers.secret("migrate_password")) as owner:
        rows = owner.execute("SELECT app, left(name, 4)::int FROM django_migrations WHERE name ~ '^[0-9]{4}_'")
        found = set(rows.fetchall())
    return {app for app, number in RENAMED.items() if (app, number) in found}


@pytest.mark.long
def test_this_release_is_taken_back_and_upgraded_to_again_as_the_page_says(tmp_path: Path) -> None:
    with guarded(tmp_path / "servers") as servers:
        machine = Machine(servers, tmp_path, free_port())
        environment = stand_ins(machine, tmp_path / "bin")
        blocks = told_blocks()
        assert len(blocks) == 2
        for block in blocks:
            machine.run_once("sunwi-migrate.service")
            assert applied(servers) == RENAMED.keys()

            bash(block, tmp_path, environment)

            assert applied(servers) == set()


def test_migrate_alone_gets_the_owners_role(tmp_path: Path) -> None:
    for name in ("secret_key", "migrate_password", "database_password"):
        (tmp_path / name).write_text("x")
    shown = tmp_path / "shown"
    shown.write_text('#!/bin/sh\necho "$DATABASE_URL ${DATABASE_PASSWORD_FILE##*/}"\n')
    shown.chmod(0o755)
    script = manage_here(tmp_path, tmp_path, "DATABASE_URL=of-app\n", str(shown), owner_text="DATABASE_URL=of-owner\n")

    said = {
        command: subprocess.run([str(script), command], capture_output=True, text=True, check=True).stdout
        for command in ("migrate", "doctor")
    }

    assert said == {"migrate": "of-owner migrate_password\n", "doctor": "of-app database_password\n"}
