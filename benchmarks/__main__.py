"""All benchmarks, one after the other, each in a process of its own: ``make bench``.

    python -m benchmarks [--results FOLDER] [--only NAME …] [what each of them takes: --players, --seconds, --passes]

One that fails is told at the end, and the others run all the same.
"""

import argparse
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).parent
ALL = ("store", "http", "agora", "rates", "growth", "likes", "counting", "recovery", "competitions")


def main() -> int:
    """Exit status 1 if one of them failed."""
    parser = argparse.ArgumentParser(description="All benchmarks, one after the other")
    parser.add_argument("--results", type=Path, default=HERE / "results", help="where the JSON goes")
    parser.add_argument("--only", nargs="+", choices=ALL, default=ALL)
    options, rest = parser.parse_known_args()
    options.results.mkdir(parents=True, exist_ok=True)
    failed = [name for name in options.only if not _runs(name, options.results / f"{name}.json", rest)]
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
