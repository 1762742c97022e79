"""How soon a board's page stands in a real Chromium over a slow line and on a slow processor: a phone on the road.

150 ms to and fro, 1.6 Mbit/s, the processor four times slower; nothing in the browser's cache. The median of the
passes; each with a browser of its own. The trap: the browser and the server share this machine.
"""

import shutil
import statistics
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.harness.command import run_sized
from benchmarks.harness.figures import Figure, Sample, Size, under
from benchmarks.harness.load import HOST
from benchmarks.harness.sites import OURS, served

MOST_PLAYERS = 100_000  # what a page shows does not grow beyond
LINE = {"offline": False, "latency": 150, "downloadThroughput": 200_000, "uploadThroughput": 93_750}
SLOWER = 4
SETTLING_MS = 3000  # after the load, in which things could still shift; live.js asks once in it

# Read by the page itself, from its first moment on.
WATCH = """
window.seen = { lcp: 0, shift: 0 };
new PerformanceObserver(list => list.getEntries().forEach(each => { window.seen.lcp = each.startTime; }))
    .observe({ type: "largest-contentful-paint", buffered: true });
new PerformanceObserver(list => list.getEntries().forEach(each => {
    if (!each.hadRecentInput) window.seen.shift += each.value;
})).observe({ type: "layout-shift", buffered: true });
"""


def measure(size: Size) -> dict[str, Any]:
    """All figures of one run: a board for anybody, and for a viewer far down; a competition of as many players."""
    from benchmarks.competitions import running
    from benchmarks.harness.boards import MOVING, filled_board, forget_redis, settle

    players = min(size.players, MOST_PLAYERS)
    period = filled_board(players, "redis", **MOVING)
    competition = running(players, "redis")
    forget_redis()
    settle(period)
    page = f"/boards/{period.board_id}/"
    with (
        tempfile.TemporaryDirectory(prefix="sunwi-pages-", dir="/tmp") as folder,
        served(OURS, "/healthz", Path(folder) / "log") as site,
    ):
        base = f"http://{HOST}:{site.port}"
        return {
            "players": players,
            **_figures("page", size.passes, lambda: opened(f"{base}{page}")),
            **_figures("page_competition", size.passes, lambda: opened(f"{base}/competitions/{competition.pk}/")),
            **_figures("page_me", size.passes, lambda: opened(f"{base}{page}?player=player-{players // 2}")),
        }


def _figures(name: str, passes: int, look: Callable[[], dict[str, float]]) -> dict[str, Any]:
    seen = [look() for _ in range(passes)]
    bounds = {"lcp_seconds": under(2.0), "layout_shift": under(0.05), "requests": under(12.5), "kilobytes": under(90)}
    return {
        f"{name}_{what}": Figure(
            statistics.median(each[what] for each in seen),
            bound,
            ours=[Sample(each[what], 1.0, {}) for each in seen],
        )
        for what, bound in bounds.items()
    }


def opened(address: str) -> dict[str, float]:
    """What one cold visit saw. Requests are those of the page itself, not what live.js asks later."""
    from playwright.sync_api import ViewportSize, sync_playwright

    binary = shutil.which("chromium") or shutil.which("google-chrome")
    with sync_playwright() as started:
        browser = started.chromium.launch(executable_path=binary, args=["--no-sandbox", "--disable-dev-shm-usage"])
        context = browser.new_context(viewport=ViewportSize(width=390, height=844))
        page = context.new_page()
        page.add_init_script(WATCH)
        devtools = context.new_cdp_session(page)
        devtools.send("Network.enable")
        devtools.send("Network.emulateNetworkConditions", LINE)
        devtools.send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
        asked: list[str] = []
        received: list[int] = []
        page.on("request", lambda request: asked.append(request.url))
        devtools.on("Network.loadingFinished", lambda event: received.append(event["encodedDataLength"]))
        page.goto(address, wait_until="load")
        page.wait_for_timeout(SETTLING_MS)
        seen = page.evaluate("window.seen")
        browser.close()
    return {
        "lcp_seconds": seen["lcp"] / 1000,
        "layout_shift": seen["shift"],
        "requests": float(sum("fragment=1" not in url for url in asked)),
        "kilobytes": sum(received) / 1024,
    }


if __name__ == "__main__":
    run_sized(__doc__, measure)
