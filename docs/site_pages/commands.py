"""Management commands, from their own argument parsers."""

import argparse
from pathlib import Path

from django.apps import apps
from django.core.management import get_commands, load_command_class
from django.core.management.base import BaseCommand

from site_pages.tables import code, table

ROOT = Path(__file__).resolve().parents[2]
INTRO = """# Management commands

`.venv/bin/python manage.py COMMAND` beside a demo or a checkout, `sunwi COMMAND` where the package is installed. Made
from the commands' own parsers; [Boards and commands](../boards.md#commands) tells more of some of them. Every command
also takes Django's `--verbosity`, `--no-color`, `--traceback` and `--help`.
"""


def own() -> dict[str, BaseCommand]:
    """The commands of this repository's apps, by name."""
    ours = {each.name for each in apps.get_app_configs() if Path(each.path).parent == ROOT}
    return {name: load_command_class(app, name) for name, app in sorted(get_commands().items()) if app in ours}


def page() -> str:
    """The page."""
    return INTRO + "".join(_section(name, command) for name, command in own().items())


def _section(name: str, command: BaseCommand) -> str:
    parser = command.create_parser("manage.py", name)
    common = {option for action in BaseCommand().create_parser("", "")._actions for option in action.option_strings}
    actions = [each for each in parser._actions if not common.intersection(each.option_strings)]
    used = " ".join(_usage(each) for each in actions)
    rows = [(code(_usage(each)), _help(each)) for each in actions]
    about = f"{command.help}\n" if command.help else ""
    options = "\n" + table(["argument", "is"], rows) if rows else ""
    return f"\n## {name}\n\n{about}\n```text\nmanage.py {name} {used}".rstrip() + f"\n```\n{options}"


def _usage(action: argparse.Action) -> str:
    value = action.metavar or (action.dest.upper() if action.nargs != 0 else "")
    if action.choices:
        value = "{" + ",".join(map(str, action.choices)) + "}"
    value = f"{value} [{value} …]" if action.nargs in ("+", "*") else str(value)
    shown = f"{action.option_strings[-1]} {value}".strip() if action.option_strings else value
    return shown if action.required or not action.option_strings else f"[{shown}]"


def _help(action: argparse.Action) -> str:
    text = (action.help or "") % {"default": action.default, "prog": "manage.py"}
    default = action.default
    said = default in (None, False, argparse.SUPPRESS, []) or "default" in text
    return text if said else f"{text} (default: {code(str(default))})"
