"""Ours beside agoragames' leaderboard-python 3.7.3: leaders and neighbours, batches with dense ranks, a rank.

    python -m benchmarks.agora [--players 1000000] [--seconds 1] [--passes 5] [--json FILE]

The peer lives in an environment of its own, a temporary folder that pip fills. Where it cannot be had, the
figures say ``not measured``. Both work in their own process on the same Redis, one after the other.
"""

import random
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.harness.command import run_sized
from benchmarks.harness.figures import Figure, Sample, Size, at_least, ratio, spend

WANTED = ("leaderboard==3.7.3", "redis==2.10.6")
SCRIPT = Path(__file__).parent / "limits" / "agora.py"
A_CALL = 1000
SHARED = 100
TIES_PASSES = 3  # each batch takes the peer seconds
PEERS = 4  # the database that the peer has to itself
BOUNDS = {"page": at_least(4), "ties": at_least(25), "rank": at_least(0.8)}


class NotInstalled(Exception):
    """The peer cannot be had here; its words say why."""


def measure(size: Size) -> dict[str, Any]:
    """All figures of one run."""
    with tempfile.TemporaryDirectory(prefix="sunwi-agora-", dir="/tmp") as folder:
        try:
            _install(Path(folder))
        except NotInstalled as error:
            absent = {
                f"vs_leaderboard_py_{name}": Figure(None, bound, why=str(error)) for name, bound in BOUNDS.items()
            }
            return {"players": size.players, **absent}
        ours = _ours(size)
        with _peer(Path(folder), size.players) as peer:
            figures = {
                f"vs_leaderboard_py_{name}": ratio(
                    min(size.passes, TIES_PASSES) if name == "ties" else size.passes,
                    ours[name],
                    partial(peer, name, size.seconds),
                    bound,
                )
                for name, bound in BOUNDS.items()
            }
    return {"players": size.players, **figures}


def _install(folder: Path) -> None:
    """Put the peer, and the redis-py of its time, into a folder of their own."""
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-compile"]
    command += ["--target", str(folder), *WANTED]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    except subprocess.TimeoutExpired as error:
        raise NotInstalled("pip took longer than two minutes") from error
    if done.returncode:
        raise NotInstalled(f"pip: {(done.stderr.strip().splitlines() or ['it said nothing'])[-1]}")


@contextmanager
def _peer(folder: Path, players: int) -> Iterator[Callable[[str, float], Sample]]:
    """The peer, filled and waiting for orders."""
    from django.conf import settings

    socket = settings.CACHES["boards"]["LOCATION"].removeprefix("unix://").partition("?")[0]
    # -S: of what is installed beside us it sees nothing.
    command = [sys.executable, "-S", str(SCRIPT), socket, str(PEERS), str(players), str(_scores(players))]
    environment = {"PYTHONPATH": str(folder)}
    with subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:

        def said() -> str:
            line = child.stdout.readline() if child.stdout else ""
            if not line:
                raise SystemExit("the peer ended")
            return line

        def order(name: str, seconds: float) -> Sample:
            print(name, seconds, file=child.stdin, flush=True)
            count, spent = said().split()
            return Sample(int(count), float(spent))

        said()
        yield order


def _ours(size: Size) -> dict[str, Callable[[], Sample]]:
    from benchmarks.harness.boards import MOVING, forget_redis, open_board, settle
    from foundation.redis import client as links
    from leaderboards.stores.base import Around, Page
    from leaderboards.stores.redis.reads import ZsetStore
    from leaderboards.stores.redis.single_rank import plain_rank

    plain = open_board("redis", "Bench plain", **MOVING)
    dense = open_board("redis", "Bench dense", ties="dense", update="latest", maximum=1_000_000)
    forget_redis()
    settle(plain)
    settle(dense)
    _fill(plain, dense, size.players)
    store = ZsetStore(links.boards())
    one = partial(_one, size.players)
    return {
        "page": partial(spend, size.seconds, one, lambda name: store.read(plain, [Page(0, 25), Around(name, 12)])),
        "rank": partial(spend, size.seconds, one, lambda name: plain_rank(links.boards(), plain, name)),
        "ties": partial(spend, size.seconds, partial(_entries, dense, size.players), partial(_submit, dense)),
    }


def _fill(plain: Any, dense: Any, players: int) -> None:
    """As many players on our boards and on the peer's, by plain commands: who reached what when is all the same."""
    import redis
    from django.conf import settings

    from benchmarks.limits import sorted_sets
    from config.components import redis_urls

    url, names = settings.CACHES["boards"]["LOCATION"], range(1, players + 1)
    client, theirs = redis.Redis.from_url(url), redis.Redis.from_url(redis_urls.with_database(url, PEERS))
    bits, scores = plain.layout.time_bits, _scores(players)
    for board in ("agora", "agora_ties"):
        sorted_sets.fill(theirs, board, ((f"player-{n}", float(n % scores)) for n in names))
    sorted_sets.fill(theirs, "agora_ties:ties", ((str(float(score)), float(score)) for score in range(scores)))
    sorted_sets.fill(
        client, plain.family.zset, ((f"player-{n}", float(random.randrange(10**6) << bits)) for n in names)
    )
    sorted_sets.fill(client, dense.family.zset, ((f"player-{n}", float(n % scores)) for n in names))
    sorted_sets.fill(client, dense.family.scores, ((str(score), float(score)) for score in range(scores)))
    for start in range(0, players, A_CALL):
        held: Any = {f"player-{n}": f"{0:019d}|{n % scores}" for n in names[start : start + A_CALL]}
        client.hset(dense.family.stored_state, mapping=held)


def _scores(players: int) -> int:
    """How many different scores there are on the board of ties: about a hundred players share each."""
    return max(1, players // SHARED)


def _one(players: int) -> tuple[int, str]:
    return 1, f"player-{random.randrange(players) + 1}"


def _entries(period: Any, players: int) -> tuple[int, list[Any]]:
    from foundation import clock
    from leaderboards.core.instants import milliseconds
    from leaderboards.stores.redis.writes import EntryToEvaluate

    at_ms = period.layout.quantize(milliseconds(clock.now()))
    scores = _scores(players)
    return A_CALL, [EntryToEvaluate(_one(players)[1], (random.randrange(scores),), at_ms, None) for _ in range(A_CALL)]


def _submit(period: Any, entries: list[Any]) -> None:
    from foundation.redis import client as links
    from leaderboards.stores.redis.writes import ENTRIES_PER_CALL, ZsetWriter

    for start in range(0, len(entries), ENTRIES_PER_CALL):
        part = entries[start : start + ENTRIES_PER_CALL]
        ZsetWriter(links.boards()).submit(period, part)


if __name__ == "__main__":
    run_sized(__doc__, measure)
