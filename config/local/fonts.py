"""Generate static/fonts from the fonts' packages, reduced to what the pages need.

    npm install --prefix FOLDER @fontsource-variable/archivo pretendard
    pip install fonttools brotli
    python -m config.local.fonts FOLDER/node_modules

Archivo keeps the ranges of weight and width that the style sheets use. What every page needs, ASCII and the marks of
our sentences, is one file, which pages load first. Letters with accents and extended Latin are two more, each once in
the width of text and once in all widths, because names in headings are rare and a second axis doubles a file.
Pretendard keeps the syllables of the Korean texts on public pages, in two files: those of boards' pages, which all
load, and the rest, which a page loads if it has one of them. Its licence reserves its name for the whole font, so
the subset is called Sunwi Hangul. A third file, Sunwi Names, has all its letters in one weight: the server draws names
on pictures with it (``leaderboards/drawing``), and no page loads it. Between the weights a point may lie one unit
beside its place, and Hangul is drawn on 512 units to the em instead of 2048: nobody sees a tenth of a pixel, and the
files are a fifth lighter. Each file name contains a digest of the content,
so browsers can cache it for good; the style sheet and the preload links are rewritten to the new names.
"""

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from hashlib import blake2b
from pathlib import Path

from foundation import file_locations

STATIC = file_locations.folder("static")
FONTS, SHEET, BASE = STATIC / "fonts", STATIC / "css" / "type.css", STATIC.parent / "templates" / "base.html"
CATALOGUE = file_locations.folder("locale") / "ko" / "LC_MESSAGES" / "django.po"
FEATURES = "ccmp,kern,locl,mark,mkmk,tnum"
LATIN = "U+0020-007E,U+00A0,U+00B1,U+00B7,U+00D7,U+2013,U+2014,U+2018,U+2019,U+201C,U+201D,U+2026,U+2212"
ACCENTS = (
    "U+00A1,U+00A3,U+00A9,U+00AB,U+00B0,U+00BB,U+00BF-00D6,U+00D8-00FF,U+201A,U+201E,U+2022,U+2032,U+2039,U+203A"
)
MORE_LATIN = "U+0100-017F,U+0218-021B"
ARCHIVO = "@fontsource-variable/archivo/files/archivo-{}-standard-normal.woff2"
PRETENDARD = "pretendard/dist/public/variable/PretendardVariable.ttf"
HANGUL, NAMES = "Sunwi Hangul", "Sunwi Names"
# Latin, Greek, Cyrillic, Vietnamese, kana, and all 11,172 syllables of Hangul.
LETTERS_OF_NAMES = (
    "U+0020-007E,U+00A0-024F,U+0300-036F,U+0370-04FF,U+1E00-1EFF,U+2010-2027,U+2030-203A,U+2212,U+3000-3030,"
    "U+3040-30FF,U+3131-318E,U+AC00-D7A3"
)
KOREAN = re.compile("[\u3000-\u303f\u3131-\u318e\uac00-\ud7a3]")
OF_BOARDS = re.compile(
    r"templates/(base|_|leaderboards/(board|live|_)|competitions/_league)|rules_text"
    r"|leaderboards/(formats|views/(board_pages|components))|competitions/(views/league|core/league)"
)
STAFF = re.compile("admin|models/|management|/api/|config/|webhooks|audit")  # sources whose texts only staff read


def main(packages: Path) -> None:
    """Generate all files."""
    widths = ["wght=400:800", "wdth=100:125"]
    boards, more = _syllables()
    sources = {
        "archivo-latin": (packages / ARCHIVO.format("latin"), widths, LATIN),
        "archivo-latin-ext": (packages / ARCHIVO.format("latin-ext"), ["wght=400:800", "wdth=100"], MORE_LATIN),
        "archivo-latin-wide": (packages / ARCHIVO.format("latin-ext"), widths, MORE_LATIN),
        "sunwi-hangul": (packages / PRETENDARD, ["wght=400:800"], boards),
        "sunwi-hangul-more": (packages / PRETENDARD, ["wght=400:800"], more),
        "sunwi-names": (packages / PRETENDARD, ["wght=700"], LETTERS_OF_NAMES),
    }
    own_names = {"sunwi-hangul": HANGUL, "sunwi-hangul-more": HANGUL, "sunwi-names": NAMES}
    FONTS.mkdir(exist_ok=True)
    for name, (source, axes, unicodes) in sources.items():
        content = _build(source, axes, unicodes, own_names.get(name))
        for old in FONTS.glob(f"{name}.*.woff2"):
            old.unlink()
        path = FONTS / f"{name}.{blake2b(content, digest_size=6).hexdigest()}.woff2"
        path.write_bytes(content)
        _rename(name, path.name)
        print(f"{path.name}: {len(content):,} bytes")
    _set_range("sunwi-hangul-more", more)


def _syllables() -> tuple[str, str]:
    """Return the Korean syllables and punctuation of texts that players read: of boards' pages, and all others."""
    boards, others = set[str](), set[str]()
    for entry in CATALOGUE.read_text("utf-8").split("\n\n"):
        places_named = " ".join(re.findall(r"^#: (.*)$", entry, re.MULTILINE)).split()
        if not all(STAFF.search(each) for each in places_named):
            is_of_boards = any(OF_BOARDS.search(each) for each in places_named)
            (boards if is_of_boards else others).update(KOREAN.findall(entry))
    return _code_points(boards), _code_points(others - boards)


def _code_points(characters: Iterable[str]) -> str:
    return ",".join(f"U+{ord(each):04X}" for each in sorted(characters))


def _build(source: Path, axes: list[str], unicodes: str, name: str | None) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        subset, instance, result = (Path(folder) / each for each in ("few.ttf", "narrow.ttf", "done.woff2"))
        _run(
            "fontTools.subset",
            source,
            f"--unicodes={unicodes}",
            f"--layout-features={FEATURES}",
            "--no-hinting",
            f"--output-file={subset}",
        )
        _run("fontTools.varLib.instancer", subset, *axes, f"--output={instance}")
        if name:
            _set_name(instance, name)
        _run("fontTools.ttLib.woff2", "compress", instance, "-o", result)
        return result.read_bytes()


def _set_name(path: Path, name: str) -> None:
    """Replace the font's reserved name in the file."""
    script = (
        "import sys; from fontTools.ttLib import TTFont\n"
        "path, name = sys.argv[1:]; font = TTFont(path); plain = name.replace(' ', '')\n"
        "for row in font['name'].names:\n"
        "    if row.nameID in (1, 3, 4, 6, 16, 25): row.string = plain if row.nameID in (6, 25) else name\n"
        "font.save(path)"
    )
    subprocess.run(
        [sys.executable, "-c", script, str(path), name], check=True, env=os.environ | {"SOURCE_DATE_EPOCH": "0"}
    )


def _run(module: str, *arguments: object) -> None:
    reproducible = os.environ | {"SOURCE_DATE_EPOCH": "0"}
    command = [sys.executable, "-m", module, *map(str, arguments)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=reproducible)


def _set_range(name: str, unicodes: str) -> None:
    """Have browsers load a font for these characters alone."""
    wanted = unicodes.replace(",", ", ")
    block = re.compile(rf"({re.escape(name)}\.[^}}]*?unicode-range: )[^;]*;")
    SHEET.write_text(block.sub(lambda found: f"{found[1]}{wanted};", SHEET.read_text("utf-8")), "utf-8")


def _rename(name: str, file: str) -> None:
    for path in (SHEET, BASE):
        text = path.read_text("utf-8")
        path.write_text(re.sub(rf"\b{name}\.[0-9a-f]+\.woff2", file, text), "utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
