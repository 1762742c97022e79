"""The steps of the Dockerfile, run outside of a container: in folders of their own, and its server as nobody."""

import fnmatch
import os
import re
import shutil
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from config.local import child_process
from tests.faults.servers import temporary_folder
from tests.ports import free_port
from tests.security.front import HOST, ROOT

TEXT = (ROOT / "Dockerfile").read_text().replace("\\\n", " ")
STEPS = [tuple(line.split(None, 1)) for line in TEXT.splitlines() if line and not line.startswith("#")]
NOBODY = 10001
KNOWN = {"ARG", "FROM", "COPY", "RUN", "ENV", "WORKDIR", "USER", "EXPOSE", "CMD"}


def steps(word: str) -> list[str]:
    return [str(rest) for name, rest in STEPS if name == word]


def ignored(path: str) -> bool:
    """Whether .dockerignore keeps the path out of what is built: the last line that matches decides."""
    out = False
    for line in (ROOT / ".dockerignore").read_text().split():
        pattern = line.removeprefix("!")
        parts = [path, *(str(parent) for parent in Path(path).parents)]
        if any(fnmatch.fnmatch(each, pattern.removeprefix("**/")) for each in [*parts, *Path(path).parts]):
            out = not line.startswith("!")
    return out


@pytest.fixture(scope="module")
def image() -> Iterator[Path]:
    """The image's files, in a folder that nobody may write to: what is copied to /app, and what is collected."""
    folder = temporary_folder()
    folder.chmod(0o755)
    app = folder / "app"
    app.mkdir()
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split(
        "\n"
    )
    for source, target in (each.split() for each in steps("COPY") if "--from" not in each and len(each.split()) == 2):
        for name in tracked:
            if name and (name == source or name.startswith(f"{source}/")) and not ignored(name):
                place = app / target / Path(name).relative_to(source) if name != source else app / target
                place.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / name, place)
    for name in next(each for each in steps("COPY") if each.startswith("manage.py")).split()[:-1]:
        shutil.copy(ROOT / name, app / name)
    yield folder
    shutil.rmtree(folder)


def environment(folder: Path) -> dict[str, str]:
    """What ENV sets, with the image's folders here."""
    given = dict(pair.split("=", 1) for line in steps("ENV") for pair in line.split())
    given["STATIC_ROOT"] = str(folder / "static")
    given["PATH"] = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    given["METRICS_FOLDER"] = str(folder / "metrics")
    given["GIT_COMMIT"] = "of-the-test"
    return given


def test_every_step_is_of_a_kind_that_these_tests_run() -> None:
    assert {name for name, _ in STEPS} == KNOWN
    assert steps("USER") == [f"{NOBODY}:{NOBODY}"]
    runs = steps("RUN")
    assert [run.split()[0] for run in runs] == ["python", "apt-get", "SECRET_KEY=only-for-collectstatic"]


@pytest.mark.long
def test_the_packages_install_with_their_hashes_into_an_environment_of_their_own(tmp_path: Path) -> None:
    """The first stage. It needs the network, as the installation of this environment did."""
    [command] = [run for run in steps("RUN") if run.startswith("python -m venv")]
    default = re.findall(r"^ARG REQUIREMENTS=(\S+)$", TEXT, re.MULTILINE)[0]
    assert "COPY ${REQUIREMENTS} requirements.txt" in TEXT
    shutil.copy(ROOT / default, tmp_path / "requirements.txt")

    done = subprocess.run(
        ["sh", "-ec", command.replace("/venv", str(tmp_path / "venv")).replace("python -m", f"{sys.executable} -m", 1)],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip  # as a command line

    assert done.returncode == 0, done.stderr[-2000:]
    for name in ("granian", "celery"):
        assert (tmp_path / "venv" / "bin" / name).exists()


@pytest.mark.skipif(shutil.which("apt-get") is None, reason="no apt-get on this machine")
def test_the_debian_package_has_the_name_that_debian_knows() -> None:
    [command] = [run for run in steps("RUN") if run.startswith("apt-get")]
    [package] = re.findall(r"install -y --no-install-recommends ([\w-]+)", command)

    done = subprocess.run(["apt-cache", "show", package], capture_output=True, text=True, check=False)

    assert package == "fonts-noto-cjk"
    assert done.returncode == 0 or not list(Path("/var/lib/apt/lists").glob("*Packages*")), done.stderr


@pytest.mark.long
def test_files_are_collected_and_the_server_answers_as_nobody_from_a_disk_that_it_cannot_write_to(image: Path) -> None:
    collect = steps("RUN")[-1]
    subprocess.run(["sh", "-ec", collect], cwd=image / "app", env=environment(image), check=True)
    (image / "metrics").mkdir()
    port = free_port()
    [command] = [re.findall(r'"([^"]*)"', each) for each in steps("CMD")]
    command = [{"0.0.0.0": HOST, "8000": str(port)}.get(word, word) for word in command]  # noqa: S104 - a container listens on all its addresses
    is_root = os.getuid() == 0
    if is_root:
        os.chown(image / "metrics", NOBODY, NOBODY)
        command = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", *command]
    variables = environment(image) | {
        "SECRET_KEY": "x" * 60, "ALLOWED_HOSTS": "boards.example,localhost", "REDIS_URL": "redis://127.0.0.1:1/0",
        "DATABASE_URL": "sqlite:////nowhere/db.sqlite3", "DATA_DIR": "/nowhere", "HOME": "/nowhere",
    }  # fmt: skip  # as a table
    log = image / "log"
    with log.open("wb") as out:
        server = child_process.start(
            command, cwd=image / "app", env=variables, stdin=subprocess.DEVNULL, stdout=out, stderr=out
        )
    try:
        probe = [sys.executable, "-m", "config.probe"]
        give_up, status = time.monotonic() + 60, 1
        while status and time.monotonic() < give_up:
            asked = variables | {"PORT": str(port)}
            status = subprocess.run(probe, cwd=image / "app", env=asked, capture_output=True, check=False).returncode
            time.sleep(0.2)
        assert status == 0, log.read_text()[-3000:]
        health = urllib.request.Request(f"http://{HOST}:{port}/healthz", headers={"Host": "boards.example"})
        with urllib.request.urlopen(health, timeout=5) as answer:
            assert b'"commit":"of-the-test"' in answer.read()
        if is_root:
            assert {path.stat().st_uid for path in (image / "app").rglob("*")} == {0}  # nobody wrote anything there
    finally:
        server.terminate()
        server.wait(30)
