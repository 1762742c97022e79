"""Make or update boards from a JSON file, by name, all or none. Numbers are read exactly, never as floats."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from foundation import clock
from leaderboards.core.bodies import read_json
from leaderboards.management.command import Command as BaseCommand
from leaderboards.services.boards import apply_boards


class Command(BaseCommand):
    """``apply_boards FILE.json``."""

    help = 'Make or update the boards of a file {"boards": [{settings}, …]}, by name, all or none.'

    def add_arguments(self, parser: ArgumentParser) -> None:
        """The file."""
        parser.add_argument("file", metavar="FILE.json", type=Path)

    def handle(self, *_args: Any, **options: Any) -> None:
        """Print which board has which number."""
        self.print_json({"boards": apply_boards(_settings(options["file"]), clock.agreed())})


def _settings(file: Path) -> list[dict[str, Any]]:
    try:
        document = read_json(file.read_bytes())
    except OSError as error:
        raise CommandError(f"{file} can not be read: {error.strerror}.") from error
    except ValueError as error:
        raise CommandError(f"{file}: {str(error).replace('The body', 'The file')}") from error
    boards = document.get("boards") if isinstance(document, dict) and set(document) == {"boards"} else None
    if not isinstance(boards, list) or not all(isinstance(each, dict) for each in boards):
        raise CommandError(f'{file} must hold one object {{"boards": [{{"name": …}}, …]}} and nothing else.')
    return boards
