"""Boards full of players, made by SQL at once.

The trap: what is filled in SQL is not in Redis before it is settled (``settle``), as after lost memory.
"""

from typing import Any

import redis
from django.conf import settings
from django.db import connection, transaction

from foundation import clock
from foundation.redis import client as links
from leaderboards.core.instants import milliseconds
from leaderboards.models import Board, Period
from leaderboards.services.board_files import apply_boards
from leaderboards.services.sync.resync_periods import resync_due

# Time in the score, and every entry a move: what an unchanged standing costs is another story.
MOVING: dict[str, Any] = {"tie_break": "score", "update": "latest", "maximum": 1_000_000, "total_maximum": 4_000_000}

_PLAYERS = (
    "INSERT INTO leaderboards_player (external_id, name, avatar_url, country, created_at)"
    " SELECT 'player-' || n, '', '', '', now() FROM generate_series(1, %s) n ORDER BY random()"
    " ON CONFLICT (external_id) DO NOTHING"
)
_INSERT = (
    'INSERT INTO leaderboards_standing (period_id, player_id, member, points, "at", score, version, pending_publish)'
    " SELECT %(period)s, p.id, {member}, t.points, to_timestamp(t.ms / 1000.0), {score}, 1, false"
    " FROM leaderboards_player p,"
    " LATERAL (SELECT (random() * 1000000)::bigint AS points,"
    " %(latest)s - (random() * %(span)s)::bigint AS ms WHERE p.id > 0) t"
    " WHERE substr(p.external_id, length('player-') + 1)::bigint <= %(players)s"
)
_IN_MEMBER = _INSERT.format(
    member="lpad((9223372036854775807 - t.ms)::text, 19, '0') || '_' || p.external_id", score="t.points"
)
# As the layout packs it: the score at the latest moment and no points, and what points and earlier moments add.
_IN_SCORE = _INSERT.format(
    member="p.external_id", score="%(base)s + t.points * %(unit)s::bigint + (%(latest)s - t.ms) / %(resolution)s"
)
SPAN_MS = 3_600_000


def filled_board(players: int, storage: str, name: str = "", **settings: Any) -> Period:
    """The running period of a weekly board, ``players`` in SQL, in random order, none in Redis yet."""
    period = open_board(storage, name, **settings)
    fill(period, players)
    return period


def open_board(storage: str, name: str = "", **settings: Any) -> Period:
    """The running period of a new weekly board without players."""
    name = name or f"Bench {storage}"
    seq = apply_boards([{"name": name, "storage": storage} | settings], clock.now())[name]
    board = Board.objects.get(seq=seq)
    period = Period.objects.filter(board=board, starts_at__lte=clock.now()).order_by("-starts_at")[0]
    period.board = board
    return period


def make_players(players: int) -> list[str]:
    """So many players, in random order; their ids."""
    with connection.cursor() as cursor:
        cursor.execute(_PLAYERS, [players])
    return [f"player-{n}" for n in range(1, players + 1)]


def fill(period: Period, players: int) -> None:
    """Give the period of an empty board ``players`` standings in SQL, in random order."""
    make_players(players)
    layout, latest = period.layout, milliseconds(clock.now())
    values = {"period": period.pk, "latest": latest, "span": SPAN_MS, "players": players}
    if not layout.in_member:
        values |= {"unit": 1 << layout.time_bits, "resolution": layout.resolution_ms}
        values["base"] = int(layout.pack((0,), latest, "").score)
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL session_replication_role = replica")  # what is made here refers to what is there
        cursor.execute(_IN_MEMBER if layout.in_member else _IN_SCORE, values)
        cursor.execute("ANALYZE")


def settle(period: Period) -> None:
    """Bring Redis what SQL has, of this period and all others."""
    resync_due(clock.now())
    period.refresh_from_db()
    if period.stale_since is not None:
        raise SystemExit("settling did not finish")


def forget_redis() -> None:
    """Lose what Redis remembers, as FLUSHALL would."""
    client = redis.Redis.from_url(settings.CACHES["boards"]["LOCATION"])
    client.flushdb()
    client.close()
    links.boards().reset()
