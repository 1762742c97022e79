"""Generate static/flags from the package flag-icons: a small picture of each country's flag, and its names.

    npm install --prefix FOLDER flag-icons
    python -m config.local.flags FOLDER/node_modules

The SVG files of the package are not used directly: for a tenth of all countries they are larger than a whole page,
because of coats of arms that are invisible at 20 pixels. Names come from Chromium (Unicode CLDR), in each language of
the site. Needs Chromium, as the tests do.
"""

import io
import json
import shutil
import sys
from pathlib import Path
from urllib.parse import quote

from PIL import Image
from playwright.sync_api import sync_playwright

from foundation import file_locations

FLAGS = file_locations.folder("static") / "flags"
WIDTH, HEIGHT = 60, 45  # three times the size on pages
LANGUAGES = ("en", "ko")
NAMES = """([codes, languages]) => Object.fromEntries(codes.map((code) => [code, Object.fromEntries(languages.map(
    (language) => [language, new Intl.DisplayNames([language], { type: "region" }).of(code)]))]))"""


def main(packages: Path) -> None:
    """Generate all files."""
    package = packages / "flag-icons"
    drawings = {path.stem: path for path in sorted((package / "flags" / "4x3").glob("??.svg"))}
    images = "".join(f'<img src="data:image/svg+xml,{_quoted(path)}">' for path in drawings.values())
    style = f"body{{margin:0;display:flex;flex-wrap:wrap;width:{WIDTH * 10}px}}img{{width:{WIDTH}px;height:{HEIGHT}px}}"
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = chromium.new_page(viewport={"width": WIDTH * 10, "height": 600})
        page.set_content(f"<style>{style}</style>{images}")
        page.wait_for_load_state("networkidle")
        sheet = Image.open(io.BytesIO(page.screenshot(full_page=True)))
        names = page.evaluate(NAMES, [[code.upper() for code in drawings], LANGUAGES])
        chromium.close()
    FLAGS.mkdir(exist_ok=True)
    for nth, code in enumerate(drawings):
        left, top = nth % 10 * WIDTH, nth // 10 * HEIGHT
        flag = sheet.crop((left, top, left + WIDTH, top + HEIGHT)).convert("RGB")
        _save_smallest(flag, FLAGS / f"{code}.webp")
    lines = [f"  {json.dumps(code)}: {json.dumps(names[code], ensure_ascii=False)}" for code in sorted(names)]
    (FLAGS / "countries.json").write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")
    shutil.copy(package / "LICENSE", FLAGS / "LICENSE")
    print(f"{len(drawings)} flags, {sum(path.stat().st_size for path in FLAGS.glob('*.webp')):,} bytes")


def _quoted(path: Path) -> str:
    return quote(path.read_text("utf-8"), safe="")


def _save_smallest(flag: Image.Image, path: Path) -> None:
    encodings = []
    for options in ({"lossless": True, "method": 6}, {"quality": 88, "method": 6}):
        content = io.BytesIO()
        flag.save(content, "webp", **options)
        encodings.append(content.getvalue())
    path.write_bytes(min(encodings, key=len))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
