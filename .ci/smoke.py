"""`make demo` on a fresh clone, as a stranger would run it: it answers in time, points move, competitions are there,
Ctrl-C ends it all.

Standard library only. Usage: python3 .ci/smoke.py FOLDER (an empty one; the clone and the data go there).
"""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from typing import Any

ANSWERS_WITHIN = 180  # a first start installs, compiles and migrates, on a machine that does other things too
MOVES_WITHIN = 5
ENDS_WITHIN = 30


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def read(url: str) -> str:
    with urllib.request.urlopen(url, timeout=5) as answer:
        return str(answer.read().decode())


def wait_for(url: str, demo: subprocess.Popen[bytes], seconds: float) -> float:
    begun = time.monotonic()
    while time.monotonic() - begun < seconds:
        if demo.poll() is not None:
            sys.exit(f"make demo ended with status {demo.returncode}")
        try:
            read(url)
        except OSError:
            time.sleep(0.1)
        else:
            return time.monotonic() - begun
    sys.exit(f"{url} did not answer within {seconds} s")


def points(standings: str) -> dict[str, Any]:
    return {row["player"]: row["points"] for row in json.loads(read(standings))["rows"]}


def moved(before: dict[str, Any], after: dict[str, Any]) -> bool:
    return any(after.get(player) != had for player, had in before.items())


def shown(page: str) -> str:
    """What the page says, without tokens that differ in every answer."""
    return re.sub(r'value="[^"]*"', "", read(page))


def living(marker: str) -> list[int]:
    """Processes that were started with this folder in their environment or arguments."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            text = (process / "environ").read_bytes() + (process / "cmdline").read_bytes()
            state = (process / "stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            continue
        if marker.encode() in text and state != "Z" and int(process.name) != os.getpid():
            found.append(int(process.name))
    return found


def main() -> None:
    folder = Path(sys.argv[1]).resolve()
    clone, home = folder / "clone", os.environ.get("HOME", "/")
    subprocess.run(["git", "clone", "--quiet", ".", str(clone)], check=True)
    port = free_port()
    clean = {"PATH": os.environ["PATH"], "HOME": home, "PORT": str(port), "DATA_DIR": str(folder / "demo-data")}
    demo = subprocess.Popen(["make", "demo"], cwd=clone, env=clean, start_new_session=True)
    try:
        try_out(f"http://127.0.0.1:{port}", demo)
        os.killpg(demo.pid, signal.SIGINT)
        demo.wait(ENDS_WITHIN)
    finally:
        if demo.poll() is None:
            os.killpg(demo.pid, signal.SIGKILL)
    if left := living(str(folder / "demo-data")):
        sys.exit(f"Ctrl-C left processes behind: {left}")
    print("Ctrl-C left nothing behind")


def try_out(site: str, demo: subprocess.Popen[bytes]) -> None:
    seconds = wait_for(f"{site}/boards/1/", demo, ANSWERS_WITHIN)
    print(f"the board's page answered after {seconds:.1f} s")
    wait_for(f"{site}/api/v1/boards/1/standings", demo, MOVES_WITHIN)
    time.sleep(MOVES_WITHIN)  # the first scores arrive
    running = competitions(site)
    boards, race = f"{site}/api/v1/boards/1/standings", f"{site}/api/v1/competitions/{running}/standings"
    before, page_before, race_before = points(boards), shown(f"{site}/boards/1/"), points(race)
    time.sleep(MOVES_WITHIN)
    after, page_after, race_after = points(boards), shown(f"{site}/boards/1/"), points(race)
    if not moved(before, after) or page_before == page_after:
        sys.exit(f"nothing moved within {MOVES_WITHIN} s: {before} {after}")
    if not moved(race_before, race_after):
        sys.exit(f"nothing moved in competition {running} within {MOVES_WITHIN} s: {race_before} {race_after}")
    print(f"points moved: {before} -> {after}, in competition {running}: {race_before} -> {race_after}")


def competitions(site: str) -> int:
    """One of each state, with participants, on the page and on a page of its own; returns the running one's number."""
    rows = json.loads(read(f"{site}/api/v1/competitions"))["rows"]
    numbers = {row["state"]: row["id"] for row in rows if row["participants"]}
    if missing := {"running", "open", "final"}.difference(numbers):
        sys.exit(f"there is no competition that is {missing}: {rows}")
    page = read(f"{site}/competitions/")
    for row in rows:
        if row["name"] not in page or row["name"] not in read(f"{site}/competitions/{row['id']}/"):
            sys.exit(f"{row['name']} is not on the pages of competitions")
    print("competitions: " + ", ".join(f"{row['name']} ({row['state']})" for row in rows))
    return int(numbers["running"])


if __name__ == "__main__":
    main()
