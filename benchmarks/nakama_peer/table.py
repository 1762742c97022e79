"""How the peer run is printed: the rows beside Nakama's, and where ours go."""

import statistics
from typing import Any

from benchmarks.harness.figures import Figure
from benchmarks.nakama_peer.rows import FIRST, FLOORS, PLAIN, ROWS, Row, cost, least

PARTS = ("web", "Valkey", "PostgreSQL", "worker", "beat")  # of Sunwi, as its processes are handed on


def table(figures: dict[str, Any]) -> str:
    """The rows, and behind them what is no cost."""
    players = sorted({int(name.rpartition("_")[2]) for name in figures if name.startswith("top_20_")})
    lines = ["| work | players | Nakama | Sunwi | its steps alone | ratio | must be |", f"|{' --- |' * 7}"]
    for row in ROWS:
        lines += [_line(row, each, figures) for each in players]
    named = {f"{row.name}_{each}" for row in ROWS for each in players}
    apart = {f"{row.name}_{each}" for row in (FIRST, *PLAIN) for each in players} | {row.name for row in FLOORS}
    lines += ["", f"| Sunwi's, {players[-1]:,} players | {' | '.join(PARTS)} |", f"| --- |{' --- |' * len(PARTS)}"]
    lines += [_parts(row, figures[f"{row.name}_{players[-1]}"]) for row in (*ROWS, FIRST, *PLAIN)]
    lines += [_parts(row, figures[row.name]) for row in FLOORS]
    shares = [float(s.beside["load_share"]) for name in named for s in (*figures[name].ours, *figures[name].theirs)]
    lines.append(f"\nwrk's share of all CPU: {statistics.median(shares):.2f} (median), {max(shares):.2f} (most)")
    return "\n".join([*lines, *(f"{name}: {value}" for name, value in figures.items() if name not in named | apart)])


def _line(row: Row, players: int, figures: dict[str, Any]) -> str:
    figure: Figure = figures[f"{row.name}_{players}"]
    bound = "–" if figure.bound.most is None else f"≤ {figure.bound.most:g}"
    if figure.value is None:
        return f"| {row.said} | {players:,} | | | | {figure} | {bound} |"
    theirs, ours, steps = cost(figure.theirs, row), cost(figure.ours, row), least(row, players, figures)
    beyond = ", and so are its steps alone" if figure.is_short and steps > (figure.bound.most or 0) * theirs else ""
    return f"| {row.said} | {players:,} | {theirs:.3g} | {ours:.3g} | {steps:.3g} | {figure}{beyond} | {bound} |"


def _parts(row: Row, figure: Figure) -> str:
    """Where our cost goes."""
    done = row.things * sum(each.count for each in figure.ours) or 1
    spent = zip(*(each.beside["served_cpu_of_each"] for each in figure.ours), strict=True)
    return f"| {row.said} | {' | '.join(f'{1000 * sum(each) / done:.2g}' for each in spent)} |"
