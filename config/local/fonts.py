"""Generate static/fonts from the fonts' packages, reduced to what the pages need.

    npm install --prefix FOLDER @fontsource-variable/archivo pretendard
    pip install fonttools brotli
    python -m config.local.fonts FOLDER/node_modules

Archivo keeps the ranges of weight and width that the style sheets use, in one file with the letters of all languages
that are written in Latin without a second row of accents: accented letters refer to letter and accent
(``compose_font``), so they cost little. Pretendard keeps the syllables of the Korean texts on public pages, in two
files: those of the pages that people open first, and the rest, which a page loads if it has one of them. Its licence
reserves its name for the whole font, so the subset is called Sunwi Hangul. A third file, Sunwi Names, has all its
letters in one weight: the server draws names on pictures with it (``leaderboards/drawing``), and no page loads it. What
pages load is made lighter where nobody sees it (``lighten_font``). Each file name contains a digest of the content, so
browsers can cache it for good; the style sheet and the preload links are rewritten to the new names.
"""

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from hashlib import blake2b
from pathlib import Path

from foundation import file_locations

STATIC = file_locations.folder("static")
FONTS, SHEET, BASE = STATIC / "fonts", STATIC / "css" / "type.css", STATIC.parent / "templates" / "base.html"
CATALOGUE = file_locations.folder("locale") / "ko" / "LC_MESSAGES" / "django.po"
FEATURES, FEATURES_OF_NAMES = "kern,tnum", "ccmp,kern,locl,mark,mkmk,tnum"
# By the package's file that has them. Without what names and sentences do not have: © and ŉ, ſ and their like.
LATIN = {
    "latin": (
        "U+0020-007E,U+00A0,U+00A1,U+00AB,U+00B1,U+00B7,U+00BB,U+00BF-00F6,U+00F8-00FF,"
        "U+2013,U+2014,U+2018,U+2019,U+201A,U+201C-201E,U+2022,U+2026,U+2039,U+203A,U+2212"
    ),
    "latin-ext": "U+0100-0131,U+0134-0137,U+0139-013E,U+0141-0148,U+014A-017E,U+0218-021B",
}
ARCHIVO = "@fontsource-variable/archivo/files/archivo-{}-standard-normal.woff2"
PRETENDARD = "pretendard/dist/public/variable/PretendardVariable.ttf"
WIDTHS = ("wght=400:800", "wdth=100:125")
LATIN_UNITS, HANGUL_UNITS = 1000, 512  # to the em: Archivo's own, and coarser where no letter is larger than a heading
HANGUL, NAMES = "Sunwi Hangul", "Sunwi Names"
# Latin, Greek, Cyrillic, Vietnamese, kana, and all 11,172 syllables of Hangul.
LETTERS_OF_NAMES = (
    "U+0020-007E,U+00A0-024F,U+0300-036F,U+0370-04FF,U+1E00-1EFF,U+2010-2027,U+2030-203A,U+2212,U+3000-3030,"
    "U+3040-30FF,U+3131-318E,U+AC00-D7A3"
)
KOREAN = re.compile("[\u3000-\u303f\u3131-\u318e\uac00-\ud7a3]")
# What the demo's pages of boards, the home page, lists, search and sign-in lay out in Korean: one file of their own.
COMMON = frozenset(
    "가각간강같개건검게겨격결계고공과교구그근글금기깁까뀐끝나난내낸너네년누는늘니님다단달대더던덜덧도동된됩두"
    "뒤드든듭등따때또뛰라락란람런레력로록료루룹류른를름리림마만많매맨먼며면명모목무문밀바반방번벤변별보본볼부"
    "분붙비사상새색서선섭성세속수순습승시식실아안알앞어없었에영예오왜요용운월위유윤으은을음의이인일읽임입있잉"
    "자작잔장저적전절점정제조종좋주준줄중즈지진집짧쪽차착참찾체초최터토트팔페포표플하한함합해행호홈화확회후"
)
STAFF = re.compile("admin|models/|management|/api/|config/|webhooks|audit")  # sources whose texts only staff read


def main(packages: Path) -> None:
    """Generate all files."""
    common, more = syllables()
    contents = {
        "archivo-latin": _archivo(packages),
        "sunwi-hangul": _hangul(packages, common),
        "sunwi-hangul-more": _hangul(packages, more),
        "sunwi-names": _names(packages),
    }
    FONTS.mkdir(exist_ok=True)
    for name, content in contents.items():
        for old in FONTS.glob(f"{name}.*.woff2"):
            old.unlink()
        path = FONTS / f"{name}.{blake2b(content, digest_size=6).hexdigest()}.woff2"
        path.write_bytes(content)
        _rename(name, path.name)
        print(f"{path.name}: {len(content):,} bytes")
    _set_range("archivo-latin", ",".join(LATIN.values()))
    _set_range("sunwi-hangul-more", more)


def syllables() -> tuple[str, str]:
    """Return the Korean syllables and punctuation of texts that players read: the common ones, and all others."""
    read = set[str]()
    for entry in CATALOGUE.read_text("utf-8").split("\n\n"):
        places_named = " ".join(re.findall(r"^#: (.*)$", entry, re.MULTILINE)).split()
        if not all(STAFF.search(each) for each in places_named):
            read.update(KOREAN.findall(entry))
    return _code_points(read & COMMON), _code_points(read - COMMON)


def _code_points(characters: Iterable[str]) -> str:
    return ",".join(f"U+{ord(each):04X}" for each in sorted(characters))


def _archivo(packages: Path) -> bytes:
    """Return all of Latin in one file."""
    with tempfile.TemporaryDirectory() as folder:
        parts = [Path(folder) / f"{part}.ttf" for part in LATIN]
        for path, unicodes in zip(parts, LATIN.values(), strict=True):
            _cut(packages / ARCHIVO.format(path.stem), WIDTHS, unicodes, path)
        whole = Path(folder) / "whole.ttf"
        _run("config.local.compose_font", *parts, whole)
        _run("config.local.lighten_font", whole, LATIN_UNITS)
        return _packed(whole)


def _hangul(packages: Path, unicodes: str) -> bytes:
    """Return these syllables in all weights."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "few.ttf"
        _cut(packages / PRETENDARD, ["wght=400:800"], unicodes, path)
        _set_name(path, HANGUL)
        _run("config.local.lighten_font", path, HANGUL_UNITS)
        return _packed(path)


def _names(packages: Path) -> bytes:
    """Return what the server draws names with."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "names.ttf"
        _cut(packages / PRETENDARD, ["wght=700"], LETTERS_OF_NAMES, path, FEATURES_OF_NAMES)
        _set_name(path, NAMES)
        return _packed(path)


def _cut(source: Path, axes: Sequence[str], unicodes: str, result: Path, features: str = FEATURES) -> None:
    """Write what remains of a font with these axes and letters."""
    subset = result.with_suffix(".subset")
    wanted = f"--unicodes={unicodes}", f"--layout-features={features}"
    _run("fontTools.subset", source, *wanted, "--no-hinting", f"--output-file={subset}")
    _run("fontTools.varLib.instancer", subset, *axes, f"--output={result}")


def _packed(path: Path) -> bytes:
    result = path.with_suffix(".woff2")
    _run("fontTools.ttLib.woff2", "compress", path, "-o", result)
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
