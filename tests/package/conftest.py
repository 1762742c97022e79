"""Sunwi as others get it: built from this checkout, and installed where nothing of this checkout is found."""

import os
import re
import subprocess
import sys
import sysconfig
import tarfile
from dataclasses import dataclass
from pathlib import Path

import pytest
from django.conf import settings

ROOT = Path(settings.BASE_DIR)
PATIENCE_SECONDS = 180


def done(*command: str | Path, cwd: Path, **environment: str) -> str:
    """What a program said; fails with all of it where the program failed. It gets nothing of the tests' settings."""
    clean = {"PATH": os.environ["PATH"], "HOME": str(cwd), **environment}
    ended = subprocess.run(
        [str(part) for part in command], cwd=cwd, env=clean, text=True, timeout=PATIENCE_SECONDS, check=False,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip  # as a table
    assert ended.returncode == 0, f"{command}\n{ended.stdout}"
    return ended.stdout


@dataclass(frozen=True)
class Built:
    """What can be handed to others."""

    wheel: Path
    sdist: Path


@dataclass(frozen=True)
class Environment:
    """A Python environment with Sunwi installed."""

    root: Path

    @property
    def python(self) -> Path:
        return self.root / "bin" / "python"

    @property
    def sunwi(self) -> Path:
        return self.root / "bin" / "sunwi"


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """A source archive, made of what is checked out, and the wheel that is made of this checkout."""
    folder = tmp_path_factory.mktemp("built")
    # The builder is what the tests' environment has (pyproject.toml names it): nothing is fetched.
    mine = {"PYTHONPATH": os.environ.get("PYTHONPATH", "")}
    wheel = ("-m", "pip", "wheel", "--quiet", "--disable-pip-version-check", "--no-build-isolation", "--no-deps")
    done(sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", folder, cwd=ROOT, **mine)
    done(sys.executable, *wheel, "-w", folder, ROOT, cwd=folder, **mine)
    return Built(*folder.glob("*.whl"), *folder.glob("*.tar.gz"))


@pytest.fixture(scope="session")
def wheel_of_the_sdist(built: Built, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel that is made of the source archive."""
    folder = tmp_path_factory.mktemp("again")
    with tarfile.open(built.sdist) as archive:
        # Our own archive. Debian 12's Python 3.11.2 knows no filters yet.
        if hasattr(tarfile, "data_filter"):
            archive.extraction_filter = tarfile.data_filter
        archive.extractall(folder)  # noqa: S202 - our own archive, filtered where Python can
    (source,) = folder.iterdir()
    mine = {"PYTHONPATH": os.environ.get("PYTHONPATH", "")}
    done(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder, cwd=source, **mine)
    (wheel,) = folder.glob("*.whl")
    return wheel


def install(wheel: Path, root: Path) -> Environment:
    """An environment with the wheel, and beside it, by a .pth file, what the tests' own environment has."""
    done(sys.executable, "-m", "venv", "--without-pip", root, cwd=root.parent)
    command = ("install", "--quiet", "--disable-pip-version-check", "--no-deps", "--no-index")
    done(sys.executable, "-m", "pip", "--python", root / "bin" / "python", *command, wheel, cwd=root.parent)
    (place,) = root.glob("lib/python*/site-packages")
    (place / "beside.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return Environment(root)


@pytest.fixture(scope="session")
def installed(built: Built, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """An environment with the wheel."""
    return install(built.wheel, tmp_path_factory.mktemp("installed") / "env")


@pytest.fixture(scope="session")
def installed_from_source(wheel_of_the_sdist: Path, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """An environment with the wheel that is made of the source archive."""
    return install(wheel_of_the_sdist, tmp_path_factory.mktemp("installed") / "env")


def locked(folder: Path) -> Path:
    """The locked versions of everything but Django, as constraints that hold on every Python."""
    text = (ROOT / "requirements.txt").read_text().replace("\\\n", "")
    lines = [re.sub(r"\s+--hash=\S+", "", line).strip() for line in text.splitlines()]
    file = folder / "locked.txt"
    file.write_text("\n".join(line for line in lines if line and not line.startswith(("#", "django=="))))
    return file


def install_all(package: Path, python: Path, django: str, root: Path) -> Environment:
    """An environment of another Python, with our package, what it asks for, and this Django. Needs the network.

    pip is put in from here: a Python may lack its own, and the one of another Python may be too old for it.
    """
    done(python, "-m", "venv", "--without-pip", root, cwd=root.parent)
    (place,) = root.glob("lib/python*/site-packages")
    install = ("-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-compile")
    # How this machine reaches packages, and what it has of them already.
    names = [name for name in os.environ if name.startswith(("PIP_", "SSL_CERT_")) or name == "HOME"]
    network = {name: os.environ[name] for name in names}
    done(sys.executable, *install, "--target", place, "pip", cwd=root.parent, **network)
    wanted = ("-c", locked(root.parent), package, f"django=={django}.*")
    done(root / "bin" / "python", *install, *wanted, cwd=root.parent, **network)
    return Environment(root)
