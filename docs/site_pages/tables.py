"""Markdown tables."""

from collections.abc import Iterable, Sequence


def cell(text: str) -> str:
    """``text`` on one line, with nothing that would end a cell."""
    return " ".join(text.split()).replace("\\|", "|").replace("|", "\\|")


def code(text: str) -> str:
    """``text`` as code, whatever it holds; nothing for an empty one."""
    return f"`{text}`" if text else ""


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table with this first row."""
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(map(cell, line))} |\n" for line in lines)
