"""agoragames' leaderboard-python, asked in turns: one order a line on its input, one answer a line on its output.

    python agora.py SOCKET DATABASE PLAYERS DIFFERENT_SCORES

It runs in an environment of its own with the redis-py of its time: its writes fail on today's. An order is what to
do and for how many seconds (``page 1.5``); the answer is a count and the seconds. It stands alone: no package of ours.
"""

import random
import sys
import time
from collections.abc import Callable
from typing import Any

A_CALL = 1000
Work = tuple[int, Callable[[Any], object], Callable[[], Any]]


def main(socket: str, database: int, players: int, different: int) -> None:
    """Answer orders, of two boards that are full already, until the input ends."""
    import leaderboard.leaderboard as plain_boards
    import leaderboard.tie_ranking_leaderboard as tied_boards
    from redis import Redis

    connection = Redis(unix_socket_path=socket, db=database)
    plain = plain_boards.Leaderboard("agora", connection=connection)
    tied = tied_boards.TieRankingLeaderboard("agora_ties", connection=connection)
    works: dict[str, Work] = {
        "page": (1, lambda name: (plain.leaders(1), plain.around_me(name)), lambda: some(players)),
        "rank": (1, plain.rank_for, lambda: some(players)),
        "ties": (A_CALL, tied.rank_members, lambda: scores(players, different)),
    }
    print("ready", flush=True)
    for line in sys.stdin:
        name, seconds = line.split()
        print(*spend(float(seconds), *works[name]), flush=True)


def some(players: int) -> str:
    """A player."""
    return f"player-{random.randrange(players) + 1}"


def scores(players: int, different: int) -> list[Any]:
    """Players and new scores, one after the other, as the package wants them."""
    made: list[Any] = []
    for _ in range(A_CALL):
        made += [some(players), random.randrange(different)]
    return made


def spend(seconds: float, many: int, work: Callable[[Any], object], prepare: Callable[[], Any]) -> tuple[int, float]:
    """Do work for so many seconds; values are made off the clock."""
    count, spent = 0, 0.0
    while spent < seconds:
        values = prepare()
        begun = time.perf_counter()
        work(values)
        spent += time.perf_counter() - begun
        count += many
    return count, spent


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:5]))
