"""Sunwi beside Nakama on this machine, in turns: what an operation costs, and whether what is told is right.

    python -m benchmarks.nakama_peer.peer --nakama PATH [--players 100000] [--seconds 3] [--passes 3] [--json FILE]

Both are run as they are: web with two workers, PostgreSQL, Valkey, worker and beat; Nakama and its PostgreSQL. The load
comes from wrk over 16 connections. A cost is the CPU seconds of all processes of a side for 1,000 operations. A ratio
is the median of the passes' ratios; each operation is asked for a second before the first pass, and Sunwi has read the
names of all players of the board, as a server that has run for ten minutes. ``own_first`` is measured before.
"""

import tempfile
import urllib.request
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks import api, layers
from benchmarks.harness import wrk
from benchmarks.harness.background import background
from benchmarks.harness.command import parser, recorded
from benchmarks.harness.figures import Figure, Sample, Size, at_most, rounded
from benchmarks.harness.load import HOST
from benchmarks.harness.meter import proportional_megabytes
from benchmarks.harness.sites import Site, served
from benchmarks.harness.wrk import Ask
from benchmarks.http import stores
from benchmarks.nakama_peer import nakama, subjects
from benchmarks.nakama_peer.disruptions import upset
from benchmarks.nakama_peer.plain_batches import plain_batches
from benchmarks.nakama_peer.rows import BATCH, FIRST, ROWS, compared
from benchmarks.nakama_peer.table import table

FEW = 1_000  # players of the smaller board
READ = {
    "top_20": "api_top",
    "top_20_recent": "api_top_recent",
    "top_100": "api_top_100",
    "around": "api_around",
    "own": "api_own",
    "top_and_own": "api_list_and_own",
}  # of a redis board
WORKER_MEGABYTES = at_most(150)
WARM_SECONDS = 1.0  # before the first pass: connections, caches
NAMED_AT_ONCE, NAMED_TIMES = 100, 6  # players in a request; each of two processes is asked by chance


def measure(binary: Path, size: Size) -> dict[str, Any]:
    """All figures of one run."""
    sizes = sorted({min(FEW, size.players), size.players})
    with tempfile.TemporaryDirectory(prefix="sunwi-peer-", dir="/tmp") as made:
        folder = Path(made)
        folder.chmod(0o755)
        boards = {f"board-{each}": each for each in sizes}
        run = _Run(folder, size, sizes)
        layers.make_table()
        with (
            served(layers.SITE, "/healthz", folder / "log", stores()) as site,
            background(folder) as behind,
            nakama.running(binary, folder, boards) as peer,
        ):
            run.site, run.peer = Site(site.port, (*site.pids, *behind)), peer
            figures: dict[str, Any] = {
                "players": size.players,
                "nakama": nakama.version(binary),
                **run.floors(),
            }
            for each in sizes:
                figures |= run.costs(each) | run.plain_batches(each)
            figures |= _memory(site, behind, peer)
            return figures | run.upsets(size.players)


class _Run:
    """Both sides, and what is asked of them."""

    def __init__(self, folder: Path, size: Size, sizes: list[int]) -> None:
        self.folder, self.size, self.periods, self.ours = folder, size, *_boards(folder, sizes)
        self.site: Site
        self.peer: nakama.Nakama

    def costs(self, players: int) -> dict[str, Any]:
        """The rows at one size, pass by pass; within a pass each operation of theirs is measured once."""
        ours, theirs = self.ours[players], self.peer.asks(f"board-{players}", nakama.players(self.folder, players))
        missing = {row.name: self._trouble(ours[row.name]) for row in ROWS}
        seconds = self.size.seconds
        wrk.load(self.site.port, ours["top_20"], WARM_SECONDS, self.site.pids)
        first = Figure(None, ours=[wrk.load(self.site.port, ours["own"], WARM_SECONDS, self.site.pids)])
        _read_names(self.site.port, ours["own"], players)
        done: dict[str, list[Sample]] = {row.name: [] for row in ROWS}
        beside: dict[str, list[Sample]] = {row.theirs: [] for row in ROWS}
        for row in ROWS:
            wrk.load(self.peer.port, theirs[row.theirs], WARM_SECONDS, self.peer.pids)
            if not missing[row.name]:
                wrk.load(self.site.port, ours[row.name], WARM_SECONDS, self.site.pids)
        for nth in range(self.size.passes):
            for row in ROWS:
                if len(beside[row.theirs]) == nth:
                    beside[row.theirs].append(wrk.load(self.peer.port, theirs[row.theirs], seconds, self.peer.pids))
                if not missing[row.name]:
                    done[row.name].append(wrk.load(self.site.port, ours[row.name], seconds, self.site.pids))
        return {f"{FIRST.name}_{players}": first} | {
            f"{row.name}_{players}": Figure(None, row.bound, why=missing[row.name])
            if missing[row.name]
            else compared(row, done[row.name], beside[row.theirs])
            for row in ROWS
        }

    def plain_batches(self, players: int) -> dict[str, Figure]:
        """What the servers alone take for the same batches."""
        return plain_batches(self.periods["hybrid", players], players, BATCH, self.size.seconds, self.site.pids)

    def floors(self) -> dict[str, Figure]:
        """What the API's way to a view costs, whatever it does, and what a key, a trip to Redis and a commit add."""
        players = min(self.ours)
        single, period = self.ours[players]["single_redis"], self.periods["redis", players]
        paths = {"view": "view", "key": "key", "trip": f"trip/{period.pk}/{{player}}", "commit": "commit"}
        asks = {
            f"floor_{name}": Ask(f"{layers.PREFIX}{path}", layers.ANSWER, single.players, headers=single.headers)
            for name, path in paths.items()
        }
        for ask in asks.values():
            wrk.load(self.site.port, ask, WARM_SECONDS, self.site.pids)
        done = {name: list[Sample]() for name in asks}
        for _ in range(self.size.passes):
            for name, ask in asks.items():
                done[name].append(wrk.load(self.site.port, ask, self.size.seconds, self.site.pids))
        return {name: Figure(None, ours=samples) for name, samples in done.items()}

    def _trouble(self, ask: Ask) -> str:
        return "" if ask.entries else api.trouble(self.site.port, ask)

    def upsets(self, players: int) -> dict[str, Any]:
        """What goes wrong on the larger board when callers hang up, others write, or the servers are killed."""
        board, ours = f"board-{players}", self.ours[players]
        theirs = self.peer.asks(board, nakama.players(self.folder, players))
        figures: dict[str, Any] = {}
        for name, subject in (
            ("nakama", subjects.theirs(self.peer, board, theirs)),
            ("hybrid", subjects.ours(self.site, "hybrid", ours)),
            ("redis", subjects.ours(self.site, "redis", ours)),
        ):
            figures |= {f"{what}_{name}": value for what, value in upset(subject).items()}
        return figures


def _read_names(port: int, own: Ask, players: int) -> None:
    """Have the web processes read the names of the board's players, some at a time: neighbours are shown too."""
    address = f"http://{HOST}:{port}{own.path.partition('/{player}')[0]}?ids="
    names = [f"player-{number}" for number in range(1, players + 1)]
    for start in list(range(0, players, NAMED_AT_ONCE)) * NAMED_TIMES:
        with urllib.request.urlopen(address + ",".join(names[start : start + NAMED_AT_ONCE]), timeout=30) as answer:
            answer.read()


def _boards(folder: Path, sizes: list[int]) -> tuple[dict[tuple[str, int], Any], dict[int, dict[str, Ask]]]:
    """A hybrid and a redis board of each size, settled before anybody serves them: their periods, and what is asked."""
    from benchmarks.harness.boards import MOVING, filled_board, forget_redis, settle
    from foundation.security import service_keys

    _, key = service_keys.make("bench-peer", ["scores:write"])
    filled = [
        (each, storage, filled_board(each, storage, f"{storage} {each}", **MOVING))
        for each in sizes
        for storage in ("hybrid", "redis")
    ]
    forget_redis()
    asks: dict[int, dict[str, Ask]] = {each: {} for each in sizes}
    for each, storage, period in filled:
        settle(period)
        asks[each] |= _asks(period.board_id, storage, wrk.names(folder, each), key)
    return {(storage, each): period for each, storage, period in filled}, asks


def _asks(board: int, storage: str, names: Path, key: str) -> dict[str, Ask]:
    single = api.single(board, names, key, api.ENTRY)
    reads = api.reads(board, names)
    asks = {
        f"single_{storage}": single,
        f"single_{storage}_id": api.single(board, names, key, api.WITH_ID),
        f"rank_{storage}": api.ranked(single),
        f"batch_{storage}": replace(single, entries=BATCH),
        **{f"{name}_{storage}": each for name, each in reads.items()},
    }
    return asks | {ours: reads[name] for ours, name in READ.items()} if storage == "redis" else asks


def _memory(site: Site, behind: tuple[int, ...], peer: nakama.Nakama) -> dict[str, Any]:
    """Megabytes (PSS), with all boards of the run in them."""
    web, cache, _ = site.pids
    return {
        "memory_web": rounded(proportional_megabytes([web])),
        "memory_valkey": rounded(proportional_megabytes([cache])),
        "memory_worker_and_beat": Figure(proportional_megabytes(behind), WORKER_MEGABYTES),
        "memory_nakama": rounded(proportional_megabytes([peer.child.pid])),
    }


def main() -> None:
    made = parser(__doc__)
    made.set_defaults(players=100_000, seconds=3.0, passes=3)
    made.add_argument("--nakama", type=Path, required=True, help="the binary; README.md says how to build it")
    options = made.parse_args()
    if not wrk.is_here():
        raise SystemExit(f"peer: {wrk.MISSING}")
    if not options.nakama.is_file():
        raise SystemExit(f"peer: there is no {options.nakama}; benchmarks/README.md says how Nakama is built")
    measured: Callable[[Size], dict[str, Any]] = partial(measure, options.nakama.resolve())
    recorded(options, measured, table)


if __name__ == "__main__":
    main()
