"""Write the table of figures in benchmarks/README.md from what `make bench` measured; a test compares the two.

    python -m benchmarks.readme

What each figure is stands here, what it came to in results/. Nobody edits the table by hand, and a figure that is not
where it must be says so in it.
"""

import json
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
RESULTS = HERE / "results"
README = HERE / "README.md"
BEGINS, ENDS = "<!-- figures: python -m benchmarks.readme -->\n", "<!-- /figures -->\n"

FIGURES = {
    "store": {
        "submit_store_redis": "entries a second into a board that Redis decides ÷ a bare pipelined `ZADD` loop",
        "submit_store_hybrid": "entries a second that SQL decides ÷ a plain transaction that writes the same rows",
        "read_one_call": "top, me and neighbours in one call ÷ in three calls of redis-py",
        "rank_vs_sql": "a rank by Redis ÷ by counting in SQL",
        "memory_overhead": "bytes a player ÷ those of the bare sorted set",
    },
    "http": {
        "http_batch_redis": "entries a second by POSTs of 1,000 ÷ the `ZADD` loop",
        "http_single_redis": "POSTs of one entry a second ÷ an empty Django view",
        "http_single_hybrid": "the same where SQL decides ÷ `http_single_redis`",
        "page_public": "a board's page for a stranger ÷ an empty template view",
        "page_me": "with my row and neighbours ÷ the same",
        "not_modified": "conditional GETs of a live board ÷ full ones",
        "viewers": "CPU while 1,000 follow a board ÷ while 100 do",
        "read_stall": "p99 of reading a rank while batches pour in ÷ without",
    },
    "agora": {
        "vs_leaderboard_py_page": "leaders and around ÷ by leaderboard-python 3.7.3",
        "vs_leaderboard_py_ties": "batches with dense ranks ÷ the same",
        "vs_leaderboard_py_rank": "a rank ÷ the same",
    },
    "rates": {
        "mirror_rate": "standings a second from Redis to SQL ÷ a plain upsert",
        "rebuild_rate": "standings a second from SQL to Redis ÷ the `ZADD` loop",
        "close_rate": "standings a second until a period is final ÷ reading and `COPY` alone",
    },
    "growth": {"growth": "what rank, around and submit cost at ten times the players ÷ what bare commands do"},
}


def section() -> str:
    """The table, and the conditions under it."""
    told = {name: _told(name) for name in FIGURES}
    rows = [
        _row(name, said, told[file]["figures"].get(name))
        for file, figures in FIGURES.items()
        for name, said in figures.items()
    ]
    lines = [("figure", "is", "must be", "here"), ("---",) * 4, *rows]
    return "\n".join((*(f"| {' | '.join(cells)} |" for cells in lines), "", _conditions(told["store"]), ""))


def renewed(text: str) -> str:
    """The README with this table in the place of its own."""
    before, rest = text.split(BEGINS)
    return f"{before}{BEGINS}{section()}{ENDS}{rest.split(ENDS)[1]}"


def _told(name: str) -> dict[str, Any]:
    """What one benchmark wrote; no figures where it was not run."""
    path = RESULTS / f"{name}.json"
    told: dict[str, Any] = json.loads(path.read_text()) if path.exists() else {"figures": {}}
    return told


def _row(name: str, said: str, figure: dict[str, Any] | None) -> tuple[str, ...]:
    if figure is None:
        return f"`{name}`", said, "", "not measured at this size"
    value = "not measured" if figure["value"] is None else _rounded(figure["value"])
    return f"`{name}`", said, _bound(figure["bound"]), f"**{value}, short**" if figure["short"] else value


def _rounded(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _bound(bound: dict[str, float]) -> str:
    return f"≥ {bound['at_least']:g}" if "at_least" in bound else f"< {bound['under']:g}"


def _conditions(told: dict[str, Any]) -> str:
    machine, size = told["machine"], told["size"]
    packages = machine["packages"]
    return (
        f"{machine['cores']} cores, {machine['redis_server']} (AOF everysec), PostgreSQL {machine['postgresql']}"
        f" (fsync on), Python {machine['python'].split()[0]}, Django {packages['django']},"
        f" redis-py {packages['redis']}, psycopg {packages['psycopg']};"
        f" servers, load and product on the same cores; boards of {size['players']:,} players;"
        f" medians of {size['passes']} interleaved passes."
    )


if __name__ == "__main__":
    README.write_text(renewed(README.read_text()))
