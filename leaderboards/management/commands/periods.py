"""Print the period of a board at a time and the following ones, from the calendar only, not from SQL."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from leaderboards import selectors
from leaderboards.core.periods import Calendar, PeriodKind, Window, latest_window, next_window
from leaderboards.errors import BadLabel
from leaderboards.management.command import Command as BaseCommand
from leaderboards.management.command import format_time, parse_time_or_now


class Command(BaseCommand):
    """``periods --board SEQ --at TIME [--next N]``."""

    help = "Print the period that holds a moment, and those that follow, as JSON."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the board, the time, and the number of following periods."""
        parser.add_argument("--board", type=int, required=True, metavar="SEQ")
        parser.add_argument("--at", metavar="TIME", help="RFC 3339, such as 2026-11-20T09:00:00Z; default: now")
        parser.add_argument("--next", type=int, default=5, metavar="N", help="how many of the periods that follow")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Print the periods as JSON, null between two windows; refuse an event board, which has no calendar."""
        if not 0 <= options["next"] <= 1000:
            raise CommandError("--next must be from 0 to 1000.")
        board = selectors.board_by_seq(options["board"])
        if board.is_event:
            raise CommandError(f"Board {board.seq} counts in competitions: they are its periods.")
        at = parse_time_or_now(options["at"])
        window = latest_window(board.calendar, at)
        following = _following(board.calendar, window, options["next"])
        found = _to_json(window) if window.contains(at) else None
        self.print_json({"period": found, "next": [_to_json(each) for each in following]})


def _following(calendar: Calendar, window: Window, count: int) -> list[Window]:
    """Return the next ``count`` windows, fewer if the calendar ends, none on all-time boards."""
    windows: list[Window] = []
    while len(windows) < count and calendar.kind is not PeriodKind.ALL_TIME:
        try:
            window = next_window(calendar, window)
        except BadLabel:
            break
        windows.append(window)
    return windows


def _to_json(window: Window) -> dict[str, str | None]:
    return {
        "label": window.label,
        "starts_at": format_time(window.starts_at),
        "ends_at": format_time(window.ends_at),
    }
