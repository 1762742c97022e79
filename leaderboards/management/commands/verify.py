"""Compare Redis with SQL by hand, as the schedule does every five minutes, but without its time limit."""

from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import islice
from math import inf
from typing import Any

from django.core.management.base import CommandError

from foundation import clock
from foundation.monitoring.checks import expect_redis
from leaderboards import selectors
from leaderboards.management.command import Command as BaseCommand
from leaderboards.management.command import format_time
from leaderboards.selectors.monitoring.comparable import skipped_boards
from leaderboards.services.sync.verify import verify_all
from leaderboards.services.sync.verify_result import MAX_REPORTED, FoundDifference, VerifyResult


class Command(BaseCommand):
    """``verify [--board SEQ] [--repair]``: exit status 0 if everything was compared, and is equal."""

    help = "Compare Redis with SQL for every living period; prints what was found and done as JSON."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add ``--board`` and ``--repair``."""
        parser.add_argument("--board", type=int, metavar="SEQ", help="one board; default: all")
        parser.add_argument("--repair", action="store_true", help="repair what still differs at a second look")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Print the result; remaining differences and skipped periods are errors."""
        seq, repair, at = options["board"], options["repair"], clock.now()
        if seq is not None:
            selectors.board_by_seq(seq)
        idle = skipped_boards(at, seq)
        results = [] if seq is not None and idle else _verify(at, repair, seq)
        differences = (found for each in results for found in each.found)
        self.print_json(
            {
                "verified": [_counts(each) for each in results if not each.skipped],
                "not_compared": [_counts(each) | {"why": each.skipped} for each in results if each.skipped],
                "nothing_to_compare": [each._asdict() for each in idle],
                "differences": [_to_json(found) for found in islice(differences, MAX_REPORTED)],
            }
        )
        if seq is not None and idle:
            raise CommandError(f"Board {seq} has nothing to compare: {idle[0].why}.")
        if errors := [*_remaining_errors(results, repair), *_skipped_errors(results)]:
            raise CommandError(" ".join(errors))


def _verify(at: datetime, repair: bool, seq: int | None) -> list[VerifyResult]:
    expect_redis()
    return verify_all(at, inf, repair, seq)


def _remaining_errors(results: Sequence[VerifyResult], repair: bool) -> Iterator[str]:
    if left := sum(each.differences - each.repaired for each in results):
        todo = "they stayed though repairing was tried: run it again" if repair else "`--repair` repairs them"
        yield f"Differences that are left: {left:,}; {todo}."


def _skipped_errors(results: Sequence[VerifyResult]) -> Iterator[str]:
    for each in results:
        if each.skipped:
            yield f"Not compared: board {each.board}, period {each.label}: {each.skipped}."
    if any(each.skipped for each in results):
        yield "The worker resyncs what waits, and `doctor` says whether it is alive; run this again afterwards."


def _counts(result: VerifyResult) -> dict[str, Any]:
    names = ("board", "label", "compared", "differences", "repaired", "finished")
    return {name: getattr(result, name) for name in names}


def _to_json(found: FoundDifference) -> dict[str, Any]:
    row = found.row
    return {
        "board": row.period.board_id,
        "period": row.period.label,
        "what": found.what,
        "player": row.player,
        "in_sql": row.in_sql,
        "in_redis": row.in_redis,
        "repaired": row.repaired,
        "found_at": format_time(row.found_at),
    }
