"""Compare Redis with SQL, by hand: what the schedule does every five minutes, but to the end."""

from argparse import ArgumentParser
from dataclasses import asdict
from math import inf
from typing import Any

from django.core.management.base import CommandError

from foundation import clock
from leaderboards import selectors
from leaderboards.management.command import Command as BaseCommand
from leaderboards.management.command import shown_time
from leaderboards.models import Difference
from leaderboards.services.verify import verify_all


class Command(BaseCommand):
    """``verify [--board SEQ] [--repair]``."""

    help = "Compare Redis with SQL for every living period; prints what was found and done as JSON."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """One board or all; look only, or repair too."""
        parser.add_argument("--board", type=int, metavar="SEQ", help="one board; default: all")
        parser.add_argument("--repair", action="store_true", help="repair what still differs at a second look")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Differences that stay are an error."""
        if options["board"] is not None:
            selectors.board_by_seq(options["board"])
        at = clock.now()
        verified = verify_all(at, inf, options["repair"], options["board"])
        found = Difference.objects.filter(found_at__gte=at).select_related("period").order_by("pk")
        self.print_json(
            {
                "verified": [asdict(each) for each in verified],
                "differences": [_shown(each) for each in found[:1000]],
            }
        )
        if left := sum(each.differences - each.repaired for each in verified):
            raise CommandError(f"{left} standings differ; `--repair` repairs them.")


def _shown(found: Difference) -> dict[str, Any]:
    return {
        "board": found.period.board_id,
        "period": found.period.label,
        "player": found.player,
        "in_sql": found.in_sql,
        "in_redis": found.in_redis,
        "repaired": found.repaired,
        "found_at": shown_time(found.found_at),
    }
