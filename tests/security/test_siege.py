"""A minute of slow and endless requests from 500 connections beside normal load: nobody else waits twice as long.

Measured in turns (calm, attacked, calm), as a ratio within the same run, through the proxy that is shipped. It prints
its figures as the benchmarks do: what is usual, which is what has to hold, and what 19 of 20 answers were faster than.
``make siege`` runs it, also at the end of ``make bench`` and ``make faults``; SIEGE_SECONDS makes it shorter. It wants
a machine that does nothing else.
"""

import itertools
import json
import os
import sys
from pathlib import Path

import pytest

from leaderboards.models import Player
from tests.foundation.factories import KeyFactory
from tests.playing import make_board, score
from tests.security.attackers import opening, reads, sends_a_body, sends_a_header
from tests.security.front import front
from tests.security.siege import Band, Person, late, served, siege, usual

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.long, pytest.mark.bench]

SECONDS = float(os.environ.get("SIEGE_SECONDS", "60"))
SLOWER_AT_MOST = 2.0  # the usual time, as a multiple of that of both calm turns
LOGIN = "/accounts/login/"
COOKIE = f"Cookie: csrftoken={'a' * 32}"
FORM = "Content-Type: application/x-www-form-urlencoded"


def bands(board: int) -> list[Band]:
    """Five hundred: bodies declared and in chunks, headers, and readers who do not fetch a file."""
    return [
        Band(150, opening("POST", LOGIN, COOKIE, FORM, "Content-Length: 900000", ""), sends_a_body),
        Band(100, opening("POST", LOGIN, COOKIE, FORM, "Transfer-Encoding: chunked", "") + b"fffff\r\n", sends_a_body),
        Band(150, opening("GET", LOGIN) + b"X-Slow: ", sends_a_header),
        Band(100, opening("GET", f"/api/v1/boards/{board}/standings.csv") + b"\r\n", reads),
    ]


def people(board: int) -> list[Person]:
    """Readers of a page and of the API, and a game server that submits."""
    key, number = KeyFactory.create(), itertools.count()
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}

    def entry() -> bytes:
        nth = next(number)
        one = {"board": board, "player": f"live{nth % 50}", "points": nth, "id": f"s-{nth}"}
        return json.dumps({"entries": [one]}).encode()

    return [
        Person("page", "GET", f"/boards/{board}/"),
        Person("standings", "GET", f"/api/v1/boards/{board}/standings"),
        Person("submission", "POST", "/api/v1/scores", entry, headers),
    ]


def test_while_five_hundred_attack_for_a_minute_nobody_else_waits_twice_as_long(tmp_path: Path) -> None:
    board = make_board(storage="sql", period="all_time")
    for thousand in range(5):
        score(board, {f"{thousand}-{nth}-{'x' * 50}": nth for nth in range(1000)})
    Player.objects.update(name="가" * 64)  # nearly 2 MB, more than the sockets hold on their way
    asking, attackers = people(board), bands(board)
    assert sum(band.many for band in attackers) == 500

    with front(tmp_path, HTTPS="off") as made:
        served(made.port, asking, 5)  # what is done at first
        before = served(made.port, asking, SECONDS / 3)
        with siege(made.port, attackers):
            attacked = served(made.port, asking, SECONDS)
            standing = sum(len(band.lines) for band in attackers)
        after = served(made.port, asking, SECONDS / 3)

    calm = {name: before[name] + after[name] for name in before}
    sys.stdout.write(f"\n{standing} lines stand at the end; opened {sum(band.opened for band in attackers)} times\n")
    for name, took in attacked.items():
        for word, of in (("", usual), ("_p95", late)):
            quiet, loud = of(calm[name]), of(took)
            told = f"calm {1000 * quiet:.1f} ms, attacked {1000 * loud:.1f} ms, {len(took)} answers"
            sys.stdout.write(f"siege_{name}{word}: {loud / quiet:.2f} ({told})\n")
    assert standing >= 350  # those who send headers are cut off every ten seconds, and come back
    times = {name: usual(attacked[name]) / usual(calm[name]) for name in calm}
    assert max(times.values()) <= SLOWER_AT_MOST, times
