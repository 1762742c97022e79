"""Compare Redis with SQL, by hand: what the schedule does every five minutes, but to the end."""

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
from leaderboards.services.sync.verify import MAX_REPORTED, FoundDifference, VerifyResult, verify_all


class Command(BaseCommand):
    """``verify [--board SEQ] [--repair]``: exit status 0 where all that was asked for was compared, and is equal."""

    help = "Compare Redis with SQL for every living period; prints what was found and done as JSON."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """One board or all; look only, or repair too."""
        parser.add_argument("--board", type=int, metavar="SEQ", help="one board; default: all")
        parser.add_argument("--repair", action="store_true", help="repair what still differs at a second look")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Differences that stay are an error, and so is what was not compared."""
        seq, repair, at = options["board"], options["repair"], clock.now()
        if seq is not None:
            selectors.board_by_seq(seq)
        idle = skipped_boards(at, seq)
        verified = [] if seq is not None and idle else _verified(at, repair, seq)
        self.print_json(
            {
                "verified": [_counts(each) for each in verified if not each.skipped],
                "not_compared": [_counts(each) | {"why": each.skipped} for each in verified if each.skipped],
                "nothing_to_compare": [each._asdict() for each in idle],
                "differences": [_shown(found) for found in islice(_found(verified), MAX_REPORTED)],
            }
        )
        if seq is not None and idle:
            raise CommandError(f"Board {seq} has nothing to compare: {idle[0].why}.")
        if wrong := [*_left(verified, repair), *_skipped(verified)]:
            raise CommandError(" ".join(wrong))


def _verified(at: datetime, repair: bool, seq: int | None) -> list[VerifyResult]:
    expect_redis()
    return verify_all(at, inf, repair, seq)


def _found(verified: Sequence[VerifyResult]) -> Iterator[FoundDifference]:
    return (found for each in verified for found in each.found)


def _left(verified: Sequence[VerifyResult], repair: bool) -> Iterator[str]:
    if left := sum(each.differences - each.repaired for each in verified):
        todo = "they stayed though repairing was tried: run it again" if repair else "`--repair` repairs them"
        yield f"Differences that are left: {left:,}; {todo}."


def _skipped(verified: Sequence[VerifyResult]) -> Iterator[str]:
    for each in verified:
        if each.skipped:
            yield f"Not compared: board {each.board}, period {each.label}: {each.skipped}."
    if any(each.skipped for each in verified):
        yield "The worker settles what waits, and `doctor` says whether it is alive; run this again afterwards."


def _counts(each: VerifyResult) -> dict[str, Any]:
    names = ("board", "label", "compared", "differences", "repaired", "finished")
    return {name: getattr(each, name) for name in names}


def _shown(found: FoundDifference) -> dict[str, Any]:
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
