"""Either side of the peer run as one who reads and writes a single player sees it: ranks, windows, raw requests.

What is right is in SQL: ours has it of a redis board too, a second later.
"""

import json
import os
import random
import re
import signal
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
import redis

from benchmarks.harness.load import HOST
from benchmarks.harness.meter import children_of
from benchmarks.harness.servers import cache_in
from benchmarks.harness.sites import Site
from benchmarks.harness.wrk import Ask
from benchmarks.nakama_peer.nakama import Nakama

LOOK_SECONDS = 2.0  # for which one answer is waited


@dataclass(frozen=True, slots=True)
class Place:
    """A row of an answer; ``rank`` is None where it tells none."""

    player: str
    rank: int | None
    points: int


class NoAnswer(Exception):
    """Nobody answered, or a refusal (503) did."""


@dataclass(frozen=True, slots=True)
class Subject:
    """How to ask one side about one board."""

    port: Callable[[], int]
    single: Ask
    own: Ask
    around: Ask
    rows: Callable[[dict[str, Any]], list[Place]]
    points: Callable[[], dict[str, int]]
    kill: Callable[[], None]
    start: Callable[[], None]

    @property
    def players(self) -> dict[str, str]:
        """Who is asked for, with their tokens."""
        lines = (line.partition("\t") for line in self.single.players.read_text().splitlines())
        return {player: token for player, _, token in lines}

    def place(self, player: str, token: str) -> Place | None:
        """Where a player is; None if the answer says that they are nowhere."""
        return next((each for each in self._asked(self.own, player, token) if each.player == player), None)

    def window(self, player: str, token: str) -> list[Place]:
        """They and those around them."""
        return self._asked(self.around, player, token)

    def write(self, player: str, token: str) -> bytes:
        """A whole request that sends a random score of theirs."""
        ask = self.single
        entry = ask.entry.replace("{player}", player).replace("{points}", str(random.randrange(1_000_000)))
        body = ask.body.replace("{entries}", entry)
        headers = {"Host": HOST, "Content-Type": "application/json", "Content-Length": str(len(body))}
        headers |= dict(ask.headers) | ({"Authorization": f"Bearer {token}"} if token else {})
        named = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        return f"POST {ask.path} HTTP/1.1\r\n{named}\r\n{body}".encode()

    def _asked(self, ask: Ask, player: str, token: str) -> list[Place]:
        address = f"http://{HOST}:{self.port()}{ask.path.replace('{player}', player)}"
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        try:
            with urllib.request.urlopen(
                urllib.request.Request(address, headers=headers), timeout=LOOK_SECONDS
            ) as answer:
                return self.rows(json.loads(answer.read()))
        except urllib.error.HTTPError as error:
            if error.code == 404:
                return []
            raise NoAnswer(f"{error.code}") from error
        except (OSError, ValueError) as error:  # hung up, silent, or cut off in the middle
            raise NoAnswer(str(error)) from error


def theirs(peer: Nakama, board: str, asks: dict[str, Ask]) -> Subject:
    """A board of Nakama's."""

    def points() -> dict[str, int]:
        with psycopg.connect(peer.dsn) as connection:
            found = connection.execute(
                "SELECT owner_id::text, score FROM leaderboard_record WHERE leaderboard_id = %s", [board]
            )
            return {str(player): int(score) for player, score in found}

    return Subject(
        lambda: peer.port, asks["single"], asks["own"], asks["around"], _their_rows, points, peer.kill,
        peer.start_again,
    )  # fmt: skip  # as a table


def ours(site: Site, storage: str, asks: dict[str, Ask]) -> Subject:
    """A board of Sunwi's. Killed are all web processes but the one that starts them anew, and Valkey."""
    from django.conf import settings
    from django.db import connection

    url = settings.CACHES["boards"]["LOCATION"]
    board = int(re.findall(r'"board":(\d+)', asks[f"single_{storage}"].entry)[0])

    def points() -> dict[str, int]:
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT p.external_id, s.points FROM leaderboards_standing s"
                " JOIN leaderboards_player p ON p.id = s.player_id"
                " JOIN leaderboards_period t ON t.id = s.period_id WHERE t.board_id = %s AND s.points IS NOT NULL",
                [board],
            )
            return dict(cursor.fetchall())

    def kill() -> None:
        with redis.Redis.from_url(url) as client:
            cache = int(client.info("server")["process_id"])
        for pid in (*children_of(site.pids[0]), cache):
            os.kill(pid, signal.SIGKILL)

    def start() -> None:
        cache_in(Path(os.environ["DATA_DIR"])).start()  # it ends with this process

    return Subject(
        lambda: site.port, asks[f"single_{storage}"], asks[f"api_own_{storage}"], asks[f"api_around_{storage}"],
        _our_rows, points, kill, start,
    )  # fmt: skip  # as a table


def _their_rows(answer: dict[str, Any]) -> list[Place]:
    """Zeros are left out of their answers: a rank that is not there is 0."""
    rows = [*answer.get("records", []), *answer.get("owner_records", [])]
    return [Place(row["owner_id"], int(row.get("rank", 0)) or None, int(row.get("score", 0))) for row in rows]


def _our_rows(answer: dict[str, Any]) -> list[Place]:
    rows = answer.get("rows", [answer])
    return [Place(row["player"], row["rank"], row["points"]) for row in rows]
