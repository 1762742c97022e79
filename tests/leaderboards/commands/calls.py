"""Calling a command as a shell does, and reading what it printed; the period that it is about."""

import json
from dataclasses import dataclass
from io import StringIO
from typing import Any

from django.core.management import call_command

from foundation import clock
from leaderboards.models import Board, Period


@dataclass(frozen=True)
class Printed:
    """What a command left on its standard output."""

    out: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


def run(name: str, *arguments: object) -> Printed:
    out = StringIO()
    call_command(name, *map(str, arguments), stdout=out, stderr=StringIO())
    return Printed(out.getvalue())


def running(board: Board) -> Period:
    """The board's only period that has begun."""
    return Period.objects.get(board=board, starts_at__lt=clock.now())
