"""Writes docs/counting.md from what benchmarks/counting and benchmarks/likes measured; a test compares the two.

    python -m benchmarks.counting_docs

What was measured stands in the JSON, what it is good for in counting.md beside this. Nobody edits the page by hand.
"""

import json
import textwrap
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
RESULTS = HERE / "results"
TEXT = HERE / "counting.md"
WIDTH = 120
PAGE = HERE.parent / "docs" / "counting.md"

SHARDS = (("one_row", "1", "100"), ("shards_10", "10", "1,000"), ("shards_100", "100", "10,000"))
WAYS = {
    "one_row": "one row, no shards (`sql`, rate up to 100)",
    "shards_10": "10 shards (`sql`, up to 1,000)",
    "shards_100": "100 shards (`sql`, up to 10,000)",
    "shards_1000": "1,000 shards (`sql`, above)",
    "append": "append and aggregate (`append`)",
    "redis": "Redis decides (`redis`)",
    "hybrid": "SQL decides, Redis shows (`hybrid`)",
}


def page() -> str:
    """The whole page."""
    counted, liked = _figures("counting"), _figures("likes")
    parts = {"{patterns}": _patterns(counted), "{estimate}": _estimate(counted), "{likes}": _likes(liked)}
    text = TEXT.read_text().replace("](../docs/", "](")  # links lead from where each file lies
    for place, part in parts.items():
        text = text.replace(place, part)
    return "\n".join(map(_wrapped, text.split("\n")))


def _wrapped(line: str) -> str:
    """The line in lines of at most ``WIDTH`` characters, unless it is one of a table."""
    if line.startswith("|"):
        return line
    indent = "  " if line.startswith("- ") else ""
    return textwrap.fill(line, WIDTH, subsequent_indent=indent, break_on_hyphens=False, break_long_words=False)


def _figures(name: str) -> dict[str, Any]:
    """What one benchmark measured; nothing where it has not been run."""
    path = RESULTS / f"{name}.json"
    told = json.loads(path.read_text()) if path.exists() else {"figures": {}}
    return {**told["figures"], "size": told.get("size", {})}


def _patterns(found: dict[str, Any]) -> str:
    rows = (
        (
            "hits of pages",
            "hash a day, `HINCRBY`",
            "yes, but for what Redis lost",
            "no",
            "no",
            f"{_kb(found, 'hits_bytes')} for 1,000 pages",
        ),
        (
            "visitors of a day, a week, a month",
            "HyperLogLog a day, `PFADD`, joined by `PFCOUNT` and `PFMERGE`",
            "no: ±0.81 % (standard error)",
            "no",
            "yes",
            f"{_kb(found, 'hyperloglog_bytes')} for any number; a set of {found['players']:,}: "
            f"{_mb(found, 'visitors_set_bytes')}",
        ),
        (
            "attendance of players",
            "bitmap a day by dense number, `SETBIT`",
            "yes",
            "no",
            "yes",
            f"{_kb(found, 'bitmap_100_bytes')} for {found['players']:,} players, no matter who came; a set of numbers:"
            f" {_mb(found, 'attendance_set_30_bytes')} if 30 % came, {_mb(found, 'attendance_set_100_bytes')} if all",
        ),
        (
            "requests of a caller in a window",
            "sorted set of times by Redis's clock",
            "yes",
            "no",
            "by time and token",
            f"{_kb(found, 'window_bytes')} for a limit of 1,000",
        ),
        (
            "likes of a thing",
            "sorted set of players, and a count beside it",
            "yes",
            "newest first",
            "yes",
            f"{found['liked_by_bytes_per_like']:.0f} bytes a like, and one count",
        ),
    )
    head = ("pattern", "structure", "exact?", "ranking?", "unique?", "bytes, measured")
    return _table(head, rows)


def _estimate(found: dict[str, Any]) -> str:
    return (
        f"Of {found['players']:,} visitors the HyperLogLog missed {found['hyperloglog_error_percent']} %. Seven days of"
        f" {found['players'] // 7:,} visitors each, half of them there on the day before too, joined to a week of"
        f" {found['week_visitors']:,}: {found['week_error_percent']} % off; `PFMERGE` and `PFCOUNT` over the days say"
        " the same. Three standard errors are 2.4 %."
    )


def _likes(found: dict[str, Any]) -> str:
    if "one_row_likes_per_second" not in found:
        return "Not measured yet: `python -m benchmarks.likes --json benchmarks/results/likes.json`."
    best = max(found[f"{way}_likes_per_second"] for way in WAYS)
    rows = [
        (
            said,
            f"{found[f'{way}_likes_per_second']:,.0f}",
            f"{found[f'{way}_likes_per_second'] / found['one_row_likes_per_second']:.1f}",
            f"{found[f'{way}_read_ms']:.2f} ms",
            f"{found[f'{way}_read_while_writing_ms']:.2f} ms",
        )
        for way, said in WAYS.items()
    ]
    head = ("way", "likes a second", "× one row", "a read", "a read while 16 processes write")
    fastest = next(said for way, said in WAYS.items() if found[f"{way}_likes_per_second"] == best)
    return "\n".join(
        (
            _table(head, rows),
            "",
            f"The fastest here was: {fastest}. One machine, with the servers and 16 writers on the same cores: take the"
            " ratios with you, not the rates.",
            "",
            _advice(found),
        )
    )


def _advice(found: dict[str, Any]) -> str:
    """Which number of shards was enough here for the rate that asks for it."""
    lines = [
        f"- up to {rate} likes a second on one thing: {shards} row{'s' if shards != '1' else ''} a thing;"
        f" here {found[f'{way}_likes_per_second']:,.0f} a second came through, {_enough(found, way, rate)}"
        for way, shards, rate in SHARDS
    ]
    return "\n".join((*lines, "- above: 1,000 rows, or rather another storage, since every read sums them."))


def _enough(found: dict[str, Any], way: str, rate: str) -> str:
    enough = found[f"{way}_likes_per_second"] >= int(rate.replace(",", ""))
    return "which is enough." if enough else "which this machine does not reach."


def _table(head: tuple[str, ...], rows: Any) -> str:
    lines = [head, ("---",) * len(head), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def _kb(found: dict[str, Any], name: str) -> str:
    return f"{found[name] / 1000:.1f} kB"


def _mb(found: dict[str, Any], name: str) -> str:
    return f"{found[name] / 1_000_000:.1f} MB"


if __name__ == "__main__":
    PAGE.write_text(page())
