"""All benchmarks, one after the other, each in a process of its own: ``make bench``.

    python -m benchmarks [--results FOLDER] [--only NAME …] [--players N] [what each of them takes: --seconds, --passes]

One that fails is told at the end, and the others run all the same. So that all end within a quarter of an hour, those
that do whole boards, or whose figures do not depend on their size, get fewer players, and those of many small things
less time: run them by themselves for more.
"""

import argparse
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).parent
ALL = (
    "store",
    "http",
    "api",
    "layers",
    "worker",
    "agora",
    "rates",
    "growth",
    "compact",
    "score_ranges",
    "percentiles",
    "volume",
    "likes",
    "counting",
    "pages",
    "recovery",
    "restart",
    "competitions",
    "teams",
)
SHARES = {
    "layers": 10,
    "worker": 10,
    "rates": 2,
    "pages": 10,
    "recovery": 10,
    "volume": 5,
    "score_ranges": 5,
    "restart": 10,
    "competitions": 20,
    "teams": 10,
}
PEER_SHARE = 10
_HALF = ("--seconds", "0.5")
LESS = {
    "http": ("--seconds", "0.75"),
    "api": ("--passes", "3"),
    "layers": ("--passes", "3"),
    "worker": ("--passes", "3"),
    "agora": _HALF,
    "growth": _HALF,
    "percentiles": _HALF,
    "likes": _HALF,
    "pages": ("--passes", "3"),
    "teams": ("--passes", "3"),
}


def main() -> int:
    """Exit status 1 if one of them failed."""
    parser = argparse.ArgumentParser(description="All benchmarks, one after the other")
    parser.add_argument("--results", type=Path, default=HERE / "results", help="where the JSON goes")
    parser.add_argument("--only", nargs="+", choices=ALL, default=ALL)
    parser.add_argument("--players", type=int, default=1_000_000)
    parser.add_argument("--peer-nakama", type=Path, help="a binary of Nakama: the peer run alone")
    options, rest = parser.parse_known_args()
    options.results.mkdir(parents=True, exist_ok=True)
    if options.peer_nakama:
        asked = ["--nakama", str(options.peer_nakama), "--players", str(max(1, options.players // PEER_SHARE)), *rest]
        return 0 if _runs("nakama_peer.peer", options.results / "nakama.json", asked) else 1
    begun = time.monotonic()
    failed = []
    for name in options.only:
        sized = ["--players", str(max(1, options.players // SHARES.get(name, 1)))]
        sized += [*LESS.get(name, ()), *rest]
        if not _runs(name, options.results / f"{name}.json", sized):
            failed.append(name)
    print(f"\n# all took {time.monotonic() - begun:.0f} s")
    if failed:
        print(f"failed: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


def _runs(name: str, results: Path, options: list[str]) -> bool:
    print(f"\n# {name}", flush=True)
    begun = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-m", f"benchmarks.{name}", "--json", str(results), *options], cwd=HERE.parent, check=False
    )
    print(f"# {name} took {time.monotonic() - begun:.0f} s", flush=True)
    return done.returncode == 0


if __name__ == "__main__":
    sys.exit(main())
