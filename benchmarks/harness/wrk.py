"""The compiled load generator: wrk, told what to ask by ``lua/load.lua``.

It says what it cost itself, and looks into each answer: one that is wrong stops everything. Where wrk is missing
figures are ``not measured``, with the hint; nothing else needs it.
"""

import json
import math
import resource
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.harness.figures import Sample
from benchmarks.harness.load import HOST
from benchmarks.harness.meter import tree_seconds

SCRIPT = Path(__file__).parent.parent / "lua" / "load.lua"
MISSING = "wrk is missing: apt-get install wrk"
THREADS = 2
MOST_ASKED = 20_000


@dataclass(frozen=True, slots=True)
class Ask:
    """What to ask, over and over. ``{player}``, ``{points}`` and ``{id}`` in path and entry are filled in anew.

    ``players`` names a file of lines: a player, or a player, a tab and their token. ``entries`` above 0 make it a POST
    of ``body``, in which ``{entries}`` is so many of ``entry``. An answer without ``wanted`` is wrong.
    """

    path: str
    wanted: str
    players: Path
    entries: int = 0
    body: str = "{entries}"
    entry: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    connections: int = 16


def is_here() -> bool:
    """Whether there is a wrk on PATH."""
    return shutil.which("wrk") is not None


def begin(port: int, ask: Ask, seconds: float) -> "subprocess.Popen[str]":
    """Have it begin; for whole seconds, at least one."""
    headers = {"Content-Type": "application/json"} if ask.entries else {}
    named = [part for name, value in {**headers, **ask.headers}.items() for part in ("-H", f"{name}: {value}")]
    method = "POST" if ask.entries else "GET"
    command = [
        "wrk", "-t", str(min(THREADS, ask.connections)), "-c", str(ask.connections), "-d", f"{whole(seconds)}s",
        "--timeout", "30s", *named, "-s", str(SCRIPT), f"http://{HOST}:{port}", "--",
        method, ask.path, ask.wanted, str(ask.players), str(ask.entries), ask.body, ask.entry,
    ]  # fmt: skip  # as a table
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def finish(child: "subprocess.Popen[str]") -> dict[str, Any]:
    """Wait for it; what it says, with its own CPU seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    told, _ = child.communicate()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if child.returncode:
        raise SystemExit("wrk failed")
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {**json.loads(told.splitlines()[-1]), "cpu_seconds": round(spent, 3)}


def load(port: int, ask: Ask, seconds: float, pids: tuple[int, ...]) -> Sample:
    """Ask for so long: how many were answered, and what those who serve (processes and their children) spent on it.

    ``count`` is of requests. One wrong answer, or one that was lost, stops everything.
    """
    before = [tree_seconds([pid]) for pid in pids]
    told = finish(begin(port, ask, seconds))
    of_each = [tree_seconds([pid]) - spent for pid, spent in zip(pids, before, strict=True)]
    served = sum(of_each)
    if told["bad"] or told["lost"] or not told["count"]:
        raise SystemExit(f"{ask.path}: {told['bad']} wrong and {told['lost']} lost of {told['count']}: {told['first']}")
    beside = {name: told[name] for name in ("p50_ms", "p99_ms", "cpu_seconds")}
    beside |= {"served_cpu_seconds": round(served, 3), "served_cpu_of_each": [round(each, 3) for each in of_each]}
    beside |= {"load_share": round(told["cpu_seconds"] / max(served + told["cpu_seconds"], 0.001), 3)}
    return Sample(told["count"], told["seconds"], beside)


def whole(seconds: float) -> int:
    """wrk counts whole seconds."""
    return max(1, math.ceil(seconds))


def asked_of(players: int) -> range:
    """The numbers of those who are asked for, spread over all: no more than the generator reads in a moment."""
    return range(1, players + 1, max(1, players // MOST_ASKED))


def names(folder: Path, players: int) -> Path:
    """A file of players of a board that ``benchmarks.harness.boards`` filled with so many."""
    path = folder / f"players-{players}"
    path.write_text("".join(f"player-{n}\n" for n in asked_of(players)))
    return path
