"""The systemd units: systemd finds no fault in them, they are locked down alike, and what they start works."""

import json
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
        capture_output=True, text=True, check=False,
    )  # fmt: skip  # as a command line

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


def ask(port: int, path: str) -> tuple[int, str]:
    request = urllib.request.Request(
        f"http://{HOST}:{port}{path}", headers={"Host": "boards.example", "X-Forwarded-Proto": "https"}
    )
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:  # noqa: S310 (our own address)
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
            [sys.executable, "manage.py", "collectstatic", "--noinput", "-v0"], cwd=ROOT, check=True,
            env=machine.environment("sunwi-web.service"),
        )  # fmt: skip  # as a command line
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
