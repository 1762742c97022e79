"""Rebuild a board's periods in Redis from SQL, by hand."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from foundation import clock
from foundation.monitoring.checks import expect_redis
from leaderboards import selectors
from leaderboards.management.command import Command as BaseCommand
from leaderboards.management.progress import Progress
from leaderboards.models import IN_REDIS, Part
from leaderboards.selectors.monitoring.resync_progress import count_ranked
from leaderboards.services.sync.rebuild import RebuildResult, rebuild, resync_waiting


class Command(BaseCommand):
    """``rebuild --board SEQ [--period LABEL]``."""

    help = "Put a board's periods into Redis anew, from SQL; prints what was done as JSON."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the board, and one of its periods."""
        parser.add_argument("--board", type=int, required=True, metavar="SEQ")
        parser.add_argument("--period", metavar="LABEL", help="one period; default: every period that is not final")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Rebuild, and print the result; a period that is still not resynced is an error: run the command again."""
        board = selectors.board_by_seq(options["board"])
        if board.storage not in IN_REDIS:
            raise CommandError(f"Board {board.seq} keeps nothing in Redis: there is nothing to rebuild.")
        expect_redis()
        bar, at = _Bar(), clock.now()
        rebuilt = rebuild(board, options["period"], at, bar.draw)
        bar.close()
        waiting = [str(each) for each in resync_waiting(at)]
        result = {"board": board.seq, "storage": board.storage, "rebuilt": [_to_json(each) for each in rebuilt]}
        self.print_json(result | {"still_waiting": waiting})
        if waiting := [each.period for each in rebuilt if not each.is_resynced]:
            raise CommandError(
                f"Not resynced yet, because writers or the worker were at work on it: {', '.join(waiting)}."
            )


def _to_json(result: RebuildResult) -> dict[str, Any]:
    """Convert a result; ``settled`` is the name that operators' scripts read."""
    return {
        "period": result.period,
        "settled": result.is_resynced,
        "generation": result.generation,
        "players": result.players,
    }


class _Bar:
    """A progress bar for each rebuilt period; its length is counted when the period begins."""

    def __init__(self) -> None:
        self._part = ""
        self._progress = Progress(0)

    def draw(self, part: Part) -> None:
        """Draw the progress of a family of a period."""
        if str(part) != self._part:
            self.close()
            self._part, self._players = str(part), count_ranked(part)
            self._progress = Progress(self._players)
        label = str(part).partition("/")[2]
        self._progress.step(part.rebuild_progress, f"{label}: {part.rebuild_progress:,} of {self._players:,}")

    def close(self) -> None:
        """End the line, if a bar was drawn."""
        if self._part:
            self._progress.close()
