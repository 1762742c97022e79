"""A Django project of somebody else, made by the snippets of docs/install.md."""

import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from tests.package.conftest import ROOT, Environment, done

APPS = ("likes", "competitions")
PATIENCE_SECONDS = 30.0
# Settings of the host's own, called as some of Sunwi's are, and with another meaning.
OWN_NAMES = 'STAFF_SESSION_HOURS, RATE_LIMITS, SIGN_UP, TRACING = "8h", 5, None, {"exporter": "jaeger"}'


def snippet(name: str) -> str:
    """The block of docs/install.md that begins with the name of its file."""
    blocks: list[str] = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "install.md").read_text(), re.DOTALL)
    (found,) = [block for block in blocks if block.startswith(f"# {name}\n")]
    return found


@dataclass(frozen=True)
class Host:
    """The project of somebody else: its folder, and the Python that it runs on."""

    folder: Path
    python: Path

    def manage(self, *command: str) -> str:
        """What the command said; fails where it failed."""
        return done(self.python, "manage.py", *command, cwd=self.folder)

    def refused(self, *command: str) -> str:
        """What the command said that ended with an error; fails where it did not."""
        ended = subprocess.run(
            [str(self.python), "manage.py", *command], cwd=self.folder, env={"PATH": os.environ["PATH"]}, text=True,
            timeout=PATIENCE_SECONDS, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip  # as a table
        assert ended.returncode != 0, ended.stdout
        return ended.stdout

    def add_app(self, name: str, **modules: str) -> None:
        """Make an app of the host's own with these modules."""
        folder = self.folder / name
        folder.mkdir()
        (folder / "__init__.py").touch()
        for module, text in modules.items():
            (folder / f"{module}.py").write_text(text)

    def add(self, file: str, *lines: str) -> None:
        """Write lines of the host's own at the end of a file of its project."""
        with (self.folder / "host" / file).open("a") as written:
            written.write("\n" + "\n".join(lines) + "\n")


def make_host(environment: Environment, folder: Path, apps: tuple[str, ...], redis: str, database: str = "") -> Host:
    """A fresh ``startproject``, with the documented snippets, for leaderboards and these apps."""
    done(environment.python, "-m", "django", "startproject", "host", ".", cwd=folder)
    added, addresses = snippet("settings.py"), snippet("urls.py")
    for app in apps:
        added = added.replace(f'# "{app}",', f'"{app}",')
        addresses = addresses.replace(f"# from {app} import", f"from {app} import")
        addresses = addresses.replace(f'# path("", include("{app}.urls"))', f'path("", include("{app}.urls"))')
    parts = ", ".join(f"{app}_api.part" for app in apps)
    addresses = addresses.replace("include((api_urls(),", f"include((api_urls({parts}),")
    added = added.replace("redis://127.0.0.1:6379/0", redis)
    with (folder / "host" / "settings.py").open("a") as written:
        written.write(f"\n{added}\n{database}\n{OWN_NAMES}\n")
    (folder / "host" / "urls.py").write_text(addresses)
    for name in ("celery.py", "__init__.py"):
        (folder / "host" / name).write_text(snippet(name))
    return Host(folder, environment.python)
