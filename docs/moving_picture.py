"""Makes ``docs/img/live-board.webp``: a board of a running demo as Chromium shows it, for some seconds.

``make demo``, and in a second terminal ``.venv/bin/python docs/moving_picture.py http://127.0.0.1:8000``.
"""

import io
import shutil
import sys
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

PICTURE = Path(__file__).parent / "img/live-board.webp"
BOARD = "/boards/1/"
WIDTH, HEIGHT, SHOWN_WIDTH = 1360, 1000, 1000
FRAMES, MILLISECONDS, LAST_MILLISECONDS = 36, 250, 1500
MOST_BYTES = 400_000
QUALITIES = (80, 70, 60, 50, 40)


def take(site: str) -> list[Image.Image]:
    """The frames: what the page looks like every quarter of a second, without a mouse over it."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT}, locale="en-GB", color_scheme="light")
        page.goto(site + BOARD)
        page.wait_for_timeout(4000)  # until rows have moved once
        shots = []
        for _ in range(FRAMES):
            shots.append(page.screenshot(animations="allow"))
            page.wait_for_timeout(MILLISECONDS / 2)
        browser.close()
    size = (SHOWN_WIDTH, SHOWN_WIDTH * HEIGHT // WIDTH)
    return [Image.open(io.BytesIO(shot)).convert("RGB").resize(size, Image.Resampling.LANCZOS) for shot in shots]


def pack(frames: list[Image.Image]) -> bytes:
    """An animated WebP of at most ``MOST_BYTES``, as good as that allows. Raises ``ValueError`` if none is."""
    times = [MILLISECONDS] * (len(frames) - 1) + [LAST_MILLISECONDS]
    for quality in QUALITIES:
        target = io.BytesIO()
        frames[0].save(
            target, "WEBP", save_all=True, append_images=frames[1:], duration=times, loop=0,
            quality=quality, method=6, minimize_size=True, allow_mixed=True,
        )  # fmt: skip  # as a table
        if len(target.getvalue()) <= MOST_BYTES:
            return target.getvalue()
    raise ValueError(f"No quality makes it smaller than {MOST_BYTES} bytes: take fewer frames.")


def main() -> None:
    content = pack(take(sys.argv[1].rstrip("/")))
    PICTURE.write_bytes(content)
    print(f"{PICTURE}: {len(content)} bytes")  # noqa: T201 - a command line prints


if __name__ == "__main__":
    main()
