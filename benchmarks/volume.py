"""How many bytes of PostgreSQL a player, a standing, a submission and a final standing take, indexes included.

    python -m benchmarks.volume [--players 1000000] [--json FILE]

A weekly board in hybrid storage with the time in the score. Players and standings are made at once; submissions come
through the service, each with an id, so many as there are players; then the period is closed.
"""

import random
from datetime import timedelta
from decimal import Decimal
from typing import Any

from benchmarks.harness.command import run

A_CALL = 1000
TABLES = {"player": "player", "standing": "standing", "submission": "submission", "final_standing": "finalstanding"}


def measure(players: int) -> dict[str, Any]:
    """Bytes of a row in each table."""
    from benchmarks.harness.boards import MOVING, filled_board, forget_redis, settle
    from foundation import clock
    from leaderboards.services.periods.close import close_period

    empty = _bytes()
    period = filled_board(players, "hybrid", **MOVING)
    forget_redis()
    settle(period)
    filled = _bytes()
    rows = _submit(period, players)
    submitted = _bytes()
    if not close_period(period, clock.now() + timedelta(days=15)).final:
        raise SystemExit("the period does not close")
    closed = _bytes()
    return {
        "players": players,
        "player_bytes": round((filled["player"] - empty["player"]) / players, 1),
        "standing_bytes": round((filled["standing"] - empty["standing"]) / players, 1),
        "standing_bytes_after_moves": round((closed["standing"] - empty["standing"]) / players, 1),
        "submission_bytes": round((submitted["submission"] - filled["submission"]) / rows, 1),
        "final_standing_bytes": round((closed["final_standing"] - submitted["final_standing"]) / players, 1),
    }


def _bytes() -> dict[str, int]:
    """Each table with its indexes, without what was deleted meanwhile."""
    from django.db import connection

    with connection.cursor() as cursor:
        found = {}
        for name, table in TABLES.items():
            cursor.execute(f"VACUUM leaderboards_{table}")
            cursor.execute("SELECT pg_total_relation_size(%s)", [f"leaderboards_{table}"])
            found[name] = int(cursor.fetchone()[0])
    return found


def _submit(period: Any, many: int) -> int:
    """So many entries of these players through the service; how many it was."""
    from foundation import clock
    from leaderboards.core.input.entries import Entry
    from leaderboards.core.submissions import Caller
    from leaderboards.services.submit.pipeline import submit

    done = 0
    while done < many:
        chosen = random.sample(range(1, many + 1), min(A_CALL, many))
        entries = [
            Entry(
                at,
                period.board_id,
                None,
                f"player-{n}",
                Decimal(random.randrange(1_000_000)),
                None,
                None,
                f"m{done + at}",
            )
            for at, n in enumerate(chosen)
        ]
        if not all(outcome.status.is_accepted for outcome in submit(entries, Caller("bench"), clock.now())):
            raise SystemExit("an entry was refused")
        done += len(entries)
    return done


if __name__ == "__main__":
    run(__doc__, measure)
