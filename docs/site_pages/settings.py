"""Settings: names, kinds and defaults as the code reads them; what they mean, from ``docs/settings.md``."""

import os
import re
import runpy
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

import environ
from django.utils.module_loading import import_string

from site_pages.tables import code, table

ROOT = Path(__file__).resolve().parents[2]
DOCUMENT = ROOT / "docs/settings.md"
DATABASES = ("sqlite://:memory:", "postgres://nobody@localhost/nothing")  # each has variables of its own
KINDS = {"bool": "on/off", "int": "whole number", "float": "number", "list": "list, with commas", "str": "text"}
# Where variables are read that the settings do not read themselves: by the demo, by libraries, by make and by Compose.
OTHERS = ("config/**/*.py", "docker-compose.yml", "Dockerfile", "Makefile")


class Setting(NamedTuple):
    """A variable as it is read: ``default`` in words, None where it depends on others."""

    name: str
    kind: str
    default: str | None


def read() -> dict[str, Setting]:
    """Every variable that the settings read, by name, from two runs of them."""
    found: dict[str, Setting] = {}
    real = environ.Env.get_value

    def note(env: environ.Env, var: str, cast: Any = None, default: Any = None, parse_default: bool = False) -> Any:
        if isinstance(var, str):
            found.setdefault(var, Setting(var, _kind(cast), _words(default)))
        return real(env, var, cast, default, parse_default)

    for url in DATABASES:
        given = {"SECRET_KEY": "x", "DATABASE_URL": url, "HTTPS": "on", "DATA_DIR": os.devnull}
        with patch.dict(os.environ, given, clear=True), patch.object(environ.Env, "get_value", note):
            runpy.run_path(str(ROOT / "config/settings.py"))
    passwords = {name for name in import_string("config.components.secret_files.NAMES") if name.endswith("_PASSWORD")}
    return found | {name: Setting(name, "text", "") for name in passwords}


def meanings() -> dict[str, tuple[str, str]]:
    """What ``docs/settings.md`` says of each variable: its default there, and what it means."""
    told: dict[str, tuple[str, str]] = {}
    for names, defaults, meaning in re.findall(r"^\| (`.+?) \| (.*?) \| (.*) \|$", DOCUMENT.read_text("utf-8"), re.M):
        each = re.findall(r"`([A-Z_]+)`", names)
        values = re.findall(r"`[^`]*`", defaults)
        if len(values) != len(each) or len(each) == 1:
            values = [values[0] if len(each) > 1 and values else defaults] * len(each)
        told |= {name: (value, meaning) for name, value in zip(each, values, strict=True) if name not in told}
    return told


def page() -> str:
    """The page. Raises ``ValueError`` for a variable without meaning, and for a meaning that nothing reads."""
    found, told = read(), meanings()
    if missing := found.keys() - told.keys():
        raise ValueError(f"docs/settings.md does not say what these mean: {', '.join(sorted(missing))}")
    if unread := {name for name in told.keys() - found.keys() if not _is_read_elsewhere(name)}:
        raise ValueError(f"docs/settings.md names what nothing reads: {', '.join(sorted(unread))}")
    rows = [_row(name, found.get(name), *told[name]) for name in told]
    intro = DOCUMENT.read_text("utf-8").partition("\n| ")[0].rstrip()
    intro = re.sub(r"\]\((?=[a-z])", "](../", intro)
    return f"{intro}\n\n{table(['variable', 'kind', 'default', 'means'], rows)}"


def _row(name: str, setting: Setting | None, told: str, meaning: str) -> list[str]:
    value = re.fullmatch(r"`([^`]*)`", told)
    if setting and setting.default and value and not _agree(value[1], setting.default):
        raise ValueError(f"docs/settings.md: the default of {name} is {setting.default}, not {value[1]}")
    links = re.sub(r"\]\((?=[a-z])", "](../", meaning)
    return [code(name), setting.kind if setting else "text", told, links]


def _agree(told: str, default: str) -> bool:
    """Whether both are the same value: a folder of this machine is told from where people stand."""
    plain = default.removeprefix(f"{ROOT}/")
    try:
        return told == plain or float(told) == float(plain)
    except ValueError:
        return (told, plain) in {("1", "on"), ("0", "off")}


def _is_read_elsewhere(name: str) -> bool:
    return any(name in file.read_text("utf-8") for pattern in OTHERS for file in ROOT.glob(pattern))


def _kind(cast: Any) -> str:
    return KINDS.get(getattr(cast, "__name__", "str"), "text")


def _words(default: Any) -> str | None:
    if default is environ.Env.NOTSET or default is None:
        return None
    if isinstance(default, bool):
        return "on" if default else "off"
    return ",".join(map(str, default)) if isinstance(default, list | tuple) else str(default)
