"""Metrics, from the calls that declare them; nothing is asked of a server."""

import ast
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from site_pages.tables import code, table

ROOT = Path(__file__).resolve().parents[2]
APPS = ("foundation", "leaderboards", "likes", "competitions", "accounts", "config")
READING = "Reading"
INSTRUMENTS = {
    "LabelledCounter": "counter", "LabelledHistogram": "histogram", "LatestMoment": "gauge", READING: READING,
}  # fmt: skip  # as a table
Texts = Sequence[tuple[int, str, object]]  # line, name, value
INTRO = """# Metrics

Every metric of `/metrics`, as the code declares it. [Monitor](../operations/monitor.md#metrics) says how to have them
read, what their labels mean, and where the dashboard and the alert rules are.
"""


class Metric(NamedTuple):
    """A metric: its name, its kind, its labels, and the sentence that is printed beside it."""

    name: str
    kind: str
    labels: str
    description: str


def declared() -> list[Metric]:
    """All metrics, by name. One that several places declare has the labels of all."""
    found: dict[str, Metric] = {}
    for app in APPS:
        for file in sorted((ROOT / app).rglob("*.py")):
            for each in _in_module(ast.parse(file.read_text("utf-8"))):
                found.setdefault(each.name, each)
    return sorted(found.values())


def page() -> str:
    """The page."""
    counted = [each for each in declared() if each.kind != READING]
    read = [each for each in declared() if each.kind == READING]
    first = table(
        ["name", "kind", "labels", "tells"], [(code(m.name), m.kind, m.labels, m.description) for m in counted]
    )
    second = table(["name", "labels", "tells"], [(code(m.name), m.labels, m.description) for m in read])
    return f"{INTRO}\n## Counted by each process\n\n{first}\n## Read when asked\n\nAll are gauges.\n\n{second}"


def _in_module(tree: ast.Module) -> Iterator[Metric]:
    texts = [
        (node.lineno, target.id, node.value.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)
        for target in node.targets
        if isinstance(target, ast.Name)
    ]
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in INSTRUMENTS and node.args:
            yield _metric(node, node.func.id, texts)


def _metric(call: ast.Call, maker: str, texts: Texts) -> Metric:
    name, *others = call.args
    kind = INSTRUMENTS[maker]
    labels = [
        str(each.value)
        for argument in others[1:]
        if isinstance(argument, ast.List | ast.Tuple)
        for each in argument.elts[:: 2 if kind == READING else 1]
        if isinstance(each, ast.Constant) and isinstance(each.value, str)
    ]
    return Metric(_text(name, texts, 0), kind, ", ".join(map(code, labels)), _text(others[0], texts, call.lineno))


def _text(node: ast.expr, texts: Texts, before: int) -> str:
    """A literal text, or the one that its name was given last before this line."""
    if isinstance(node, ast.Constant):
        return str(node.value)
    if isinstance(node, ast.Name):
        given = [
            value for line, name, value in sorted(texts, key=lambda each: each[0]) if name == node.id and line < before
        ]
        return str(given[-1]) if given else ""
    return ""
