"""Team standings of a competition, beside one plain statement of SQL that does the least of it.

    python -m benchmarks.teams [--players 1000000] [--passes 5] [--json FILE]

Everybody on a board of storage ``sql`` takes part, in teams of five whose best three add up, and in three divisions.
Cold is a reading of which nothing is kept; kept is what everybody else gets. Prints ``name: value`` lines.
"""

import statistics
import tracemalloc
from collections.abc import Callable
from typing import Any

import redis

from benchmarks.harness.command import run_sized
from benchmarks.harness.figures import Sample, Size, at_least, in_turns, once, over, rounded
from benchmarks.harness.meter import Meter

TEAM, COUNTS, DIVISIONS = 5, 3, 3
KEPT_READINGS = 1000
LEAST = 0.04  # of the plain statement's rate


def measure(size: Size) -> dict[str, Any]:
    """All figures of one run."""
    from benchmarks.limits import teams as limits
    from competitions.selectors.standings.group_standings import clear_group_standings, group_standings
    from foundation import clock
    from leaderboards.selectors.catalog.periods import period_by_label

    competition = _with_teams(size.players)
    period, meter, dsn = period_by_label(competition.board, competition.label), _meter(), _dsn()
    if period is None:
        raise SystemExit("the competition has no period")

    def read() -> Any:
        return group_standings(competition, clock.now())

    def cold() -> Sample:
        clear_group_standings()
        cost = meter.cost(read)
        return Sample(1, cost.seconds, {"cpu": cost.cpu})

    def plain() -> Sample:
        return Sample(1, limits.seconds(dsn, period.pk, competition.pk, COUNTS))

    def read_anew() -> None:
        clear_group_standings()
        read()

    ours, theirs = in_turns(size.beside, cold, plain)
    kept = once(KEPT_READINGS, lambda: [read() for _ in range(KEPT_READINGS)])
    return {
        "players": size.players,
        "teams": competition.teams.count(),
        "teams_cold": over(ours, theirs, at_least(LEAST)),
        "teams_cold_seconds": rounded(statistics.median(each.seconds for each in ours)),
        "teams_cold_cpu_seconds": rounded(statistics.median(each.beside["cpu"] or 0.0 for each in ours)),
        "teams_plain_seconds": rounded(statistics.median(each.seconds for each in theirs)),
        "teams_kept_ms": rounded(1000 / kept.rate),
        "teams_kept_mb": rounded(_megabytes(read_anew)),
    }


def _with_teams(players: int) -> Any:
    """A competition in which every five players are a team, and every third is in one of the divisions."""
    from django.db import connection

    from benchmarks.competitions import running
    from competitions.core.names import key_of
    from competitions.models import Division, Team

    competition = running(players, "sql", team_score="sum", team_counts=COUNTS)
    names = [f"Team {nth}" for nth in range(-(-players // TEAM))]
    made = [Team(competition=competition, name=name, key=key_of(name)) for name in names]
    first = Team.objects.bulk_create(made, batch_size=5_000)[0].pk
    divisions = Division.objects.bulk_create(
        Division(competition=competition, name=f"Division {nth}", key=key_of(f"Division {nth}"))
        for nth in range(DIVISIONS)
    )
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE competitions_participant p SET team_id = %s + n / %s, division_id = %s + n %% %s"
            " FROM (SELECT id, row_number() OVER (ORDER BY id) - 1 AS n FROM competitions_participant"
            " WHERE competition_id = %s) numbered WHERE numbered.id = p.id",
            [first, TEAM, divisions[0].pk, DIVISIONS, competition.pk],
        )
        cursor.execute("ANALYZE")
    return competition


def _meter() -> Meter:
    from django.conf import settings
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        return Meter(redis.Redis.from_url(settings.CACHES["boards"]["LOCATION"]), cursor.fetchone()[0])


def _dsn() -> str:
    from django.db import connection

    options = connection.settings_dict
    return f"host={options['HOST']} user={options['USER']} dbname={options['NAME']}"


def _megabytes(work: Callable[[], object]) -> float:
    """What stays of a piece of work. Tracing makes it slow, so it is not timed."""
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[0] / 1e6
    finally:
        tracemalloc.stop()


if __name__ == "__main__":
    run_sized(__doc__, measure)
