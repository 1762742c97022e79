"""The systemd units: systemd finds no fault in them, they are locked down alike, and what they start works."""

import json
import os
import re
import shutil
import subprocess
import sys
import time
import urllib.error
import urllib.request
from contextlib import ExitStack
from pathlib import Path

import pytest

from config.components import secret_files
from tests.deploy.units import BINARIES, SERVICES, UNITS, Machine, settings_of
from tests.ports import free_port
from tests.security.front import HOST, ROOT
from tests.security.guarded import guarded

LOCKED = {
    "User": "sunwi", "NoNewPrivileges": "yes", "ProtectSystem": "strict", "ProtectHome": "yes", "PrivateTmp": "yes",
    "PrivateDevices": "yes", "CapabilityBoundingSet": "", "RestrictSUIDSGID": "yes", "UMask": "0077",
}  # fmt: skip  # as a list
ANALYZE = shutil.which("systemd-analyze")


@pytest.mark.skipif(ANALYZE is None, reason="systemd-analyze is not on this machine")
def test_systemd_finds_no_fault_in_the_units(tmp_path: Path) -> None:
    for unit in UNITS.glob("sunwi*.*"):
        text = unit.read_text().replace(BINARIES, str(Path(sys.executable).parent)).replace("/opt/sunwi", str(ROOT))
        (tmp_path / unit.name).write_text(text)

    done = subprocess.run(
        [str(ANALYZE), "verify", "--man=no", *(str(tmp_path / name) for name in (*SERVICES, "sunwi.target"))],
        capture_output=True,
        text=True,
        check=False,
    )

    ours = [line for line in done.stderr.splitlines() if "sunwi" in line]
    assert (done.returncode, ours) == (0, [])


@pytest.mark.parametrize("unit", SERVICES)
def test_each_unit_has_a_user_without_rights_a_disk_to_read_and_secrets_in_files_alone(unit: str) -> None:
    settings = settings_of(unit)
    variables = dict(pair.split("=", 1) for line in settings["Environment"] for pair in line.split())

    assert {name: settings[name] for name in LOCKED} == {name: [value] for name, value in LOCKED.items()}
    files = {name for name in variables if name.endswith("_FILE")}
    assert {name.removesuffix("_FILE") for name in files} <= set(secret_files.NAMES)
    loaded = [each.partition(":")[0] for each in settings["LoadCredential"]]
    assert {variables[name] for name in files} == {f"%d/{name}" for name in loaded}
    assert len(files) == len(loaded) == 9
    assert "ReadWritePaths" not in settings


def test_the_owners_password_is_with_the_migration_alone_and_nothing_starts_before_it() -> None:
    def password(unit: str) -> str:
        return next(each for each in settings_of(unit)["LoadCredential"] if each.startswith("database_password:"))

    assert [password(unit).rpartition("/")[2] for unit in SERVICES] == ["migrate_password", *["database_password"] * 3]
    for unit in SERVICES[1:]:
        assert settings_of(unit)["Requires"] == settings_of(unit)["After"] == [SERVICES[0]]


def test_no_variable_of_the_files_holds_a_secret() -> None:
    for file in UNITS.glob("*.env"):
        assert not re.search(r"://[^@/]*:[^@/]+@", file.read_text())
        assert not re.search(r"^(\w*(PASSWORD|SECRET|TOKEN|KEYS?)\w*)=", file.read_text(), re.MULTILINE)


MANAGE = UNITS / "sunwi-manage"


def test_commands_have_the_secrets_of_the_units() -> None:
    exported = dict(re.findall(r"^export (\w+_FILE)=/etc/sunwi/secrets/(\w+)$", MANAGE.read_text(), re.MULTILINE))
    settings = settings_of("sunwi-web.service")
    variables = dict(pair.split("=", 1) for line in settings["Environment"] for pair in line.split())

    assert {name: f"%d/{file}" for name, file in exported.items()} == {
        name: value for name, value in variables.items() if name.endswith("_FILE")
    }
    assert os.access(MANAGE, os.X_OK)


def manage_here(folder: Path, secrets: Path, env_text: str, python: str = "", *, owner_text: str = "") -> Path:
    """The script with the places of a test: its variables in ``folder``, and ``python`` for the units' Python."""
    (folder / "sunwi.env").write_text(env_text)
    (folder / "sunwi-migrate.env").write_text(owner_text)
    text = MANAGE.read_text().replace("/etc/sunwi/secrets", str(secrets)).replace("/etc/sunwi", str(folder))
    text = text.replace(f"{BINARIES}/python", python or sys.executable).replace("/opt/sunwi/collected", str(folder))
    script = folder / "sunwi-manage"
    script.write_text(text.replace("/opt/sunwi", str(ROOT)))
    script.chmod(0o755)
    return script


def run(script: Path, *arguments: str, **more: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [str(script), *arguments], env={"PATH": "/usr/bin:/bin", **more}, capture_output=True, text=True, check=False
    )


def test_a_command_gets_its_words_and_the_lines_of_the_file_as_they_are(tmp_path: Path) -> None:
    (tmp_path / "secret_key").write_text("x")
    python = tmp_path / "python"
    python.write_text('#!/bin/sh\nprintf "[%s]" "$@"\nprintf "[%s]" "$SITE_URL" "$QUOTED" "$LAST"\n')
    python.chmod(0o755)
    lines = "# SITE_URL=no\n\nSITE_URL=$(touch no) $HOME `id` \\ a=b\nQUOTED=\"two words\"\nLAST='3'"

    done = run(manage_here(tmp_path, tmp_path, lines, str(python)), "shell", "-c", "print('a b')")

    assert done.stdout == "[manage.py][shell][-c][print('a b')][$(touch no) $HOME `id` \\ a=b][two words][3]"
    assert not (ROOT / "no").exists()


def test_who_cannot_read_the_secrets_is_told_who_can(tmp_path: Path) -> None:
    done = run(manage_here(tmp_path, tmp_path / "none", ""), "doctor")

    assert done.returncode == 77
    assert "run it as root" in done.stderr


@pytest.mark.long
def test_commands_run_on_the_site_of_the_units(tmp_path: Path) -> None:
    with guarded(tmp_path / "servers") as servers:
        machine = Machine(servers, tmp_path, free_port())
        machine.run_once("sunwi-migrate.service")
        script = manage_here(tmp_path, servers.secrets, machine.here((UNITS / "sunwi.env").read_text()))

        key = run(script, "create_service_key", "game", "--scope", "scores:write")
        user = {"DJANGO_SUPERUSER_PASSWORD": "a-long-pass-phrase-here"}
        person = run(script, "createsuperuser", "--noinput", "--username", "ada", "--email", "a@boards.example", **user)
        doctor = run(script, "doctor", "--all")

        assert (key.returncode, person.returncode) == (0, 0), key.stderr + person.stderr
        assert key.stdout.startswith("sunwi_")
        assert re.search(r"ok\s+SQL: postgresql answers", doctor.stdout), doctor.stdout + doctor.stderr
        assert re.search(r"ok\s+Redis: \w+ [\d.]+ answers", doctor.stdout)
        assert "Traceback" not in doctor.stderr


def ask(port: int, path: str) -> tuple[int, str]:
    request = urllib.request.Request(
        f"http://{HOST}:{port}{path}", headers={"Host": "boards.example", "X-Forwarded-Proto": "https"}
    )
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()
    except OSError as error:
        return 0, str(error)


@pytest.mark.long
def test_what_the_units_start_is_a_site_that_is_ready_with_its_worker(tmp_path: Path) -> None:
    with guarded(tmp_path / "servers") as servers, ExitStack() as stack:
        machine = Machine(servers, tmp_path, free_port())
        (tmp_path / "run").mkdir()
        subprocess.run(
            [sys.executable, "manage.py", "collectstatic", "--noinput", "-v0"],
            cwd=ROOT,
            check=True,
            env=machine.environment("sunwi-web.service"),
        )
        machine.run_once("sunwi-migrate.service")
        logs = [machine.start(unit, stack) for unit in SERVICES[1:]]
        told, give_up = (0, ""), time.monotonic() + 90
        while (told[0] != 200 or json.loads(told[1])["degraded"]) and time.monotonic() < give_up:
            time.sleep(0.5)
            told = ask(machine.port, "/readyz")
        page = ask(machine.port, "/")

        assert json.loads(told[1]) == {"status": "ready", "degraded": []}, "".join(
            log.read_text()[-2000:] for log in logs
        )
        assert page[0] == 200
        assert "Traceback" not in "".join(log.read_text() for log in logs)
