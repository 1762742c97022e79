"""What is in the packages that others get, and the command that they get with it."""

import os
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

from tests.package.conftest import ROOT, Built, Environment, done

pytestmark = pytest.mark.long

PACKAGES = ("accounts", "competitions", "foundation", "leaderboards", "likes", "sunwi")
LEFT_OUT = {"foundation/management/commands/makemessages.py"}  # it would hide Django's in somebody else's project
BESIDE = ("templates", "static", "locale")


def names_in(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return {name for name in archive.namelist() if ".dist-info/" not in name}


def kept(*folders: str) -> list[str]:
    """The files of these folders that are kept in the repository, or will be."""
    return done("git", "ls-files", "--cached", "--others", "--exclude-standard", *folders, cwd=ROOT).splitlines()


def test_the_wheel_has_every_file_once_and_takes_no_name_that_is_not_told(built: Built) -> None:
    names = names_in(built.wheel)

    assert {name.partition("/")[0] for name in names} == set(PACKAGES)
    assert set(kept(*PACKAGES)) - names == LEFT_OUT
    assert {f"sunwi/project/{name}" for name in kept("config")} <= names
    for name in kept(*BESIDE):
        places = {f"foundation/{name}", f"sunwi/project/{name}"} & names
        assert len(places) == 1, f"{name}: {places or 'nowhere'}"
    assert len(names) == len(kept(*PACKAGES, *BESIDE, "config")) - len(LEFT_OUT)


def test_the_source_archive_makes_the_same_wheel(built: Built, wheel_of_the_sdist: Path) -> None:
    assert names_in(wheel_of_the_sdist) == names_in(built.wheel)


def test_the_source_archive_has_what_its_readme_starts_and_links_to(built: Built) -> None:
    with tarfile.open(built.sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}

    assert {each for each in kept() if each.startswith(("deploy/", "clients/", "tests/", "docs/"))} <= names
    assert {"Makefile", "Dockerfile", "docker-compose.yml", "requirements-demo.txt", "requirements-test.txt"} <= names


def test_the_wheel_has_the_licences_of_all_that_is_in_it(built: Built) -> None:
    with zipfile.ZipFile(built.wheel) as archive:
        licences = {name.partition(".dist-info/licenses/")[2] for name in archive.namelist()} - {""}

    assert licences == {"LICENSE", *(each for each in kept("static") if "LICENSE" in each or "OFL" in each)}


def test_the_command_says_the_version_of_the_package(installed: Environment, tmp_path: Path) -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]

    assert done(installed.sunwi, "--version", cwd=tmp_path) == f"sunwi {version}\n"


def test_nothing_of_the_project_but_its_command_can_be_imported(installed: Environment, tmp_path: Path) -> None:
    find = "from importlib.util import find_spec; print([find_spec(name) for name in ('config', 'tests', 'manage')])"

    assert done(installed.python, "-c", find, cwd=tmp_path).strip() == "[None, None, None]"


def test_the_command_runs_every_command_with_the_files_that_it_brings(installed: Environment, tmp_path: Path) -> None:
    settings = {"SECRET_KEY": "only-for-this-test", "STATIC_ROOT": str(tmp_path / "collected")}

    done(
        installed.sunwi, "migrate", "--verbosity", "0", cwd=tmp_path, DATABASE_URL="sqlite:///tried.sqlite3", **settings
    )
    collected = done(installed.sunwi, "collectstatic", "--no-input", cwd=tmp_path, **settings)
    translated = done(
        installed.sunwi, "shell", "-v", "0", "-c",
        "from django.utils.translation import gettext, override\nwith override('ko'): print(gettext('Leaderboards'))",
        cwd=tmp_path, **settings,
    )  # fmt: skip  # as a table

    assert (tmp_path / "tried.sqlite3").is_file()
    assert (tmp_path / "collected" / "js" / "live.js").is_file()
    assert "Found another file" not in collected
    assert translated.strip() == "순위표"


def test_the_command_says_in_a_line_what_is_missing(installed: Environment, tmp_path: Path) -> None:
    ended = subprocess.run(
        [installed.sunwi, "doctor"], cwd=tmp_path, env={}, capture_output=True, text=True, check=False
    )

    assert ended.returncode == 1
    assert ended.stderr.splitlines() == [
        f"sunwi: SECRET_KEY is not set, and there is no demo in {tmp_path / '.data'}. "
        "Set SECRET_KEY (or SECRET_KEY_FILE) in the environment, or start the demo once with `sunwi demo`."
    ]


def test_the_types_of_the_wheel_are_found_by_who_checks_a_project_of_their_own(
    installed: Environment, tmp_path: Path
) -> None:
    pytest.importorskip("mypy", reason="`make long` installs mypy")
    (tmp_path / "used.py").write_text(
        "from foundation.webhooks.outbox import enqueue\n"
        "from leaderboards.services import boards\n"
        "from likes.registry import Likeable, register_kind\n"
        "reveal_type(enqueue)\n"
        "reveal_type(boards.SETTINGS)\n"
        "reveal_type(register_kind)\n"
    )
    # What Sunwi imports is followed for its types alone; whether those have types is not what is asked here.
    command = ("-m", "mypy", "--strict", "--cache-dir", tmp_path / "cache", "--python-executable", installed.python)

    checked = subprocess.run(
        [sys.executable, *command, "--follow-imports", "silent", "used.py"],
        cwd=tmp_path, env={"PATH": os.environ["PATH"]}, capture_output=True, text=True, check=False,
    )  # fmt: skip  # as a table

    assert checked.returncode == 0, checked.stdout
    assert checked.stdout.count("Revealed type is") == 3
    assert 'Revealed type is "Any"' not in checked.stdout
    assert "likes.registry.Likeable" in checked.stdout


def test_the_wheel_says_what_it_is(built: Built) -> None:
    with zipfile.ZipFile(built.wheel) as archive:
        [metadata] = [name for name in archive.namelist() if name.endswith("METADATA")]
        told = archive.read(metadata).decode().partition("\n\n")[0]

    assert "Keywords: competitions,django," in told
    assert "Classifier: Development Status :: 4 - Beta" in told
    assert "Classifier: Typing :: Typed" in told
    assert "Project-URL" not in told  # there is no public address
