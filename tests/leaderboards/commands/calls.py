"""Calling a command as a shell does, and reading what it printed; the period that it is about."""

import json
from dataclasses import dataclass
from io import StringIO
from typing import Any

from django.core.management import call_command
from django.core.management.base import CommandError

from foundation import clock
from leaderboards.management.commands.import_scores import REFUSED_ROWS
from leaderboards.models import Board, Period


@dataclass(frozen=True)
class Printed:
    """What a command left on its standard output and its standard error, and its exit status."""

    out: str
    err: str = ""
    status: int = 0

    @property
    def json(self) -> Any:
        return json.loads(self.out)


def run(name: str, *arguments: object) -> Printed:
    """Raise ``CommandError``, but for an import that ended with some rows rejected."""
    out, err, status = StringIO(), StringIO(), 0
    try:
        call_command(name, *map(str, arguments), stdout=out, stderr=err)
    except CommandError as error:
        if error.returncode != REFUSED_ROWS:
            raise
        status = error.returncode
        err.write(str(error))
    return Printed(out.getvalue(), err.getvalue(), status)


def running(board: Board) -> Period:
    """The board's only period that has begun."""
    return Period.objects.get(board=board, starts_at__lt=clock.now())
