"""What the Compose file says of secrets, networks, images and ranks of its servers, as far as a text can say it."""

import json
import os
import re
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from config.components import secret_files
from config.servers import digests, prepare
from tests.security.front import ROOT

COMPOSE = (ROOT / "docker-compose.yml").read_text()
SERVICES, _, REST = COMPOSE.partition("\nservices:\n")[2].partition("\nnetworks:\n")
BLOCKS = dict(re.findall(r"^  (\w+):\n((?:    .*\n|\n|  #.*\n)*)", SERVICES + "\n", re.MULTILINE))
HEAD = COMPOSE.partition("\nservices:\n")[0]
STORES = {"postgres", "boards", "passing"}


def networks(name: str) -> set[str]:
    found = re.search(r"^    networks: \[(.*)\]$", BLOCKS[name], re.MULTILINE)
    return set(found[1].split(", ")) if found else {"stores", "out"}  # those of x-app


def test_stores_are_on_an_internal_network_alone_and_the_proxy_is_not_on_it() -> None:
    assert "  stores: {internal: true}\n" in REST
    assert {name for name in BLOCKS if networks(name) == {"stores"}} == STORES | {"migrate", "beat"}
    assert networks("proxy") == {"outside"}
    assert [name for name, block in BLOCKS.items() if "ports:" in block] == ["proxy"]


def test_no_environment_holds_a_secret_and_every_secret_is_made() -> None:
    variables = dict(re.findall(r"^ +([A-Z_]+): (.*)$", COMPOSE, re.MULTILINE))
    files = re.findall(r'^  ([\w.]+): \{file: "\$\{SECRETS_FOLDER:-./secrets\}/([\w.]+)"\}$', COMPOSE, re.MULTILINE)
    named = {value.rpartition("/")[2] for value in variables.values() if value.startswith("/run/secrets/")}

    assert not [each for each in secret_files.NAMES if "PASSWORD" in each and each in variables]
    assert {"SECRET_KEY", "ENCRYPTION_KEYS", "EMAIL_URL"}.isdisjoint(variables)
    assert not [value for value in variables.values() if re.search(r"://[^@/]*:[^@/]+@", value)]
    assert all(name == file for name, file in files)
    made = {*prepare.MADE, *prepare.GIVEN, *prepare.USERS}
    assert {name for name, _ in files} == {each for each in made if "admin" not in each}
    assert named <= {name for name, _ in files}
    assert {f"{name}_FILE" for name in secret_files.NAMES} >= {each for each in variables if each.endswith("_FILE")} - {
        "POSTGRES_PASSWORD_FILE"
    }


def test_the_owners_password_is_with_the_migration_and_the_superusers_with_its_server() -> None:
    def has(secret: str) -> set[str]:
        return {name for name, block in BLOCKS.items() if re.search(rf"\b{secret}\b", block)}

    assert has("postgres_password") == {"postgres"}
    assert has("migrate_password") == {"postgres", "migrate"}
    assert "migrate_password" not in HEAD
    assert "database_password" not in BLOCKS["migrate"]
    assert not re.search(r"admin_password", COMPOSE)


def test_each_server_starts_with_its_list_of_users_and_its_roles() -> None:
    for name in ("boards", "passing"):
        assert f"--aclfile, /run/secrets/{name}.acl]" in BLOCKS[name]
        assert f"secrets: [{name}.acl]" in BLOCKS[name]
    assert "./config/servers/roles.sql:/docker-entrypoint-initdb.d/roles.sql:ro" in BLOCKS["postgres"]
    assert (ROOT / "config/servers/roles.sql").is_file()


# What docs/settings.md names and Compose does not hand on: addresses of servers of its own, what its image and its
# files decide, and what is of the demo, of the Compose file itself or of its secrets.
DECIDED = {
    "DATABASE_URL", "REDIS_URL", "CACHE_URL", "BROKER_URL", "BEHIND_TLS_PROXY", "TRUSTED_PROXIES",
    "METRICS_FOLDER", "METRICS_PORT", "METRICS_ADDRESS", "POD_IP",
    "STATIC_ROOT", "GIT_COMMIT", "DEBUG", "DATA_DIR", "DEMO_PLAYERS",
    "LISTEN", "PORT", "TLS_PORT", "TLS_FOLDER", "ACME_FOLDER", "SECRETS_FOLDER",
}  # fmt: skip  # as a list
HANDED_ON = dict(re.findall(r"^    ([A-Z_]+): \$\{\1:?-(.*)\}$", HEAD, re.MULTILINE))
OWN = {"HTTPS", "STAFF_SECOND_FACTOR", "ALLOWED_HOSTS"}  # usual values that are others here, as documents say


def test_every_documented_setting_is_handed_on() -> None:
    table = (ROOT / "docs/settings.md").read_text()
    named = set(re.findall(r"`([A-Z_]{4,})`", " ".join(re.findall(r"^\|([^|]+)\|", table, re.MULTILINE))))

    assert {"AUDIT_KEEP_DAYS", "LOGIN_DAY_LIMIT", "LOG_LEVEL"} < named
    assert named - DECIDED - set(secret_files.NAMES) == set(HANDED_ON)


def test_what_is_not_handed_on_is_named_where_compose_is_told_of() -> None:
    section = (ROOT / "docs/operations/deploy.md").read_text().partition("## Processes")[2].partition("\n## ")[0]
    of_the_file_itself = {"LISTEN", "PORT", "TLS_PORT", "TLS_FOLDER", "ACME_FOLDER", "SECRETS_FOLDER"}

    assert set(re.findall(r"`([A-Z_]{4,})`", section)) == DECIDED - of_the_file_itself


def test_what_is_handed_on_by_itself_changes_no_setting(tmp_path: Path) -> None:
    def read(**environment: str) -> dict[str, Any]:
        given = {"DATA_DIR": str(tmp_path), "SECRET_KEY": "x", **{name: HANDED_ON[name] for name in OWN}}
        with patch.dict(os.environ, given | environment, clear=True):
            found = runpy.run_path(str(ROOT / "config/settings.py"))
        return {name: value for name, value in found.items() if name.isupper()}

    assert read(**HANDED_ON) == read()
    assert read(**HANDED_ON | {"LOGIN_LIMIT": ""})["RATE_LIMITS"]["login"] is None
    assert len(re.findall(r"_LIMIT: \$\{\w+_LIMIT-", HEAD)) == len(re.findall(r"^    \w+_LIMIT: ", HEAD, re.MULTILINE))


def test_documents_say_how_the_first_superuser_is_made() -> None:
    command = "docker compose exec web python manage.py createsuperuser"

    for name in ("README.md", "docs/operations/deploy.md", "docker-compose.yml"):
        assert command in (ROOT / name).read_text(), name


def docker(folder: Path, script: str) -> dict[str, str]:
    """An environment in which ``docker`` is this script."""
    binary = folder / "docker"
    binary.write_text(f"#!/bin/sh\n{script}\n")
    binary.chmod(0o755)
    return os.environ | {"PATH": f"{folder}:{os.environ['PATH']}"}


def test_digests_are_what_docker_says_for_each_image_and_nobody_else(tmp_path: Path) -> None:
    digest = "sha256:" + "a" * 64
    told = json.dumps({"digest": digest})
    program = f"import sys; sys.path.insert(0, {str(ROOT)!r}); from pathlib import Path\nimport runpy\n"
    for name in ("docker-compose.yml", "Dockerfile"):
        (tmp_path / name).write_text((ROOT / name).read_text())
    program += f"sys.exit(runpy.run_path({digests.__file__!r})['main'](Path({str(tmp_path)!r})))"

    done = subprocess.run([sys.executable, "-c", program], env=docker(tmp_path, f"echo '{told}'"), check=False)

    written = (tmp_path / digests.WRITTEN).read_text()
    assert done.returncode == 0
    for service in digests.images(COMPOSE):
        assert re.search(rf"^  {service}:\n    image: \S+@{digest}$", written, re.MULTILINE)
    assert written.count(f"PYTHON_IMAGE: python:3.11-slim@{digest}") == len(digests.built(COMPOSE)) == 4
    assert {*digests.images(COMPOSE), *digests.built(COMPOSE)} == set(BLOCKS)


@pytest.mark.parametrize("script", ["exit 1", "echo nonsense", 'echo \'{"digest": "sha256:short"}\''])
def test_where_docker_says_no_digest_none_is_invented(
    tmp_path: Path, script: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("docker-compose.yml", "Dockerfile"):
        (tmp_path / name).write_text((ROOT / name).read_text())
    monkeypatch.setenv("PATH", docker(tmp_path, script)["PATH"])

    assert digests.main(tmp_path) == 1
    assert "nothing was written" in capsys.readouterr().err
    assert not (tmp_path / digests.WRITTEN).exists()
