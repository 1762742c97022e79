"""Team standings by one plain statement of SQL: the least that could be called the same.

It adds up, takes the best so many of each team, and ranks, all inside PostgreSQL; it knows nothing of who is hidden, of
frozen copies, of criteria, of averages as exact fractions, and tells no member's row.
"""

import time

import psycopg

_TEAMS = """
WITH placed AS (
    SELECT p.team_id, s.points, s.at,
           row_number() OVER (PARTITION BY p.team_id ORDER BY s.score DESC, s.member DESC) AS nth
    FROM leaderboards_standing s
    JOIN competitions_participant p ON p.player_id = s.player_id AND p.competition_id = %(competition)s
    WHERE s.period_id = %(period)s AND s.score IS NOT NULL AND p.team_id IS NOT NULL
), summed AS (
    SELECT team_id, sum(points) AS total, count(*) AS counted, max(at) AS at
    FROM placed WHERE nth <= %(counts)s GROUP BY team_id
)
SELECT t.id, t.name, d.total, d.counted, d.at, rank() OVER (ORDER BY d.total DESC, d.at)
FROM summed d JOIN competitions_team t ON t.id = d.team_id
ORDER BY 6, 1
"""


def seconds(dsn: str, period: int, competition: int, counts: int) -> float:
    """How long it takes to have all teams here, the best ``counts`` members of each added up."""
    values = {"period": period, "competition": competition, "counts": counts}
    with psycopg.connect(dsn) as link:
        begun = time.perf_counter()
        link.execute(_TEAMS, values).fetchall()
        return time.perf_counter() - begun
