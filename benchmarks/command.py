"""What every benchmark is on the command line: servers of its own, ``name: value`` lines, JSON if asked."""

import argparse
import json
import os
import platform
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.servers import servers


def run(description: str | None, measure: Callable[[int], dict[str, Any]]) -> None:
    """Measure with as many players as asked for, print the figures, and write them to a file if one is named."""
    parser = argparse.ArgumentParser(description=(description or "").partition("\n")[0])
    parser.add_argument("--players", type=int, default=1_000_000)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="sunwi-bench-", dir="/tmp") as folder, servers(Path(folder)):
        figures = measure(options.players)
    for name, value in figures.items():
        print(f"{name}: {value}")
    if options.json:
        machine = {"cores": os.cpu_count(), "python": platform.python_version(), "machine": platform.machine()}
        options.json.write_text(json.dumps({"machine": machine, "figures": figures}, indent=2))
