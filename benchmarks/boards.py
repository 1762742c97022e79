"""Boards full of players, made by SQL at once."""

import redis
from django.conf import settings
from django.db import connection

from foundation import clock
from foundation import redis as links
from leaderboards.models import Board, Period
from leaderboards.services.boards import apply_boards

_PLAYERS = (
    "INSERT INTO leaderboards_player (external_id, name, avatar_url, country, created_at)"
    " SELECT 'player-' || n, '', '', '', now() FROM generate_series(1, %s) n ORDER BY random()"
    " ON CONFLICT (external_id) DO NOTHING"
)
_STANDINGS = (
    'INSERT INTO leaderboards_standing (period_id, player_id, member, points, "at", score, version, unput)'
    " SELECT %s, p.id, lpad((9223372036854775807 - t.ms)::text, 19, '0') || '_' || p.external_id, t.points,"
    " to_timestamp(t.ms / 1000.0), t.points, 1, false FROM leaderboards_player p,"
    " LATERAL (SELECT (random() * 1000000)::bigint AS points,"
    " (extract(epoch FROM now()) * 1000)::bigint - (random() * 3600000)::bigint AS ms WHERE p.id > 0) t"
)


def filled_board(players: int, storage: str) -> Period:
    """The running period of a weekly board, ``players`` in SQL, in random order, none in Redis yet."""
    name = f"Bench {storage}"
    seq = apply_boards([{"name": name, "storage": storage}], clock.now())[name]
    board = Board.objects.get(seq=seq)
    period = Period.objects.filter(board=board, starts_at__lte=clock.now()).order_by("-starts_at")[0]
    period.board = board
    fill(period, players)
    return period


def fill(period: Period, players: int) -> None:
    """Give the period of an empty board ``players`` standings in SQL, in random order."""
    with connection.cursor() as cursor:
        cursor.execute(_PLAYERS, [players])
        cursor.execute(_STANDINGS, [period.pk])
        cursor.execute("ANALYZE")


def forget_redis() -> None:
    """Lose what Redis remembers, as FLUSHALL would."""
    client = redis.Redis.from_url(settings.CACHES["boards"]["LOCATION"])
    client.flushdb()
    client.close()
    links.boards().reset()
