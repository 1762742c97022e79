"""What figures are divided by knows nothing of the product: else a slow product would make a slow peer."""

import ast
from pathlib import Path

import pytest

import benchmarks.limits

OURS = {"config", "foundation", "leaderboards", "competitions", "likes", "tests"}
LIMITS = sorted(Path(benchmarks.limits.__file__ or "").parent.glob("*.py"))


@pytest.mark.parametrize("path", LIMITS, ids=lambda path: path.stem)
def test_a_limit_imports_nothing_of_the_product(path: Path) -> None:
    tree = ast.parse(path.read_text())

    imported = [name for node in ast.walk(tree) for name in _modules(node)]

    assert not [name for name in imported if name.split(".")[0] in OURS]
    assert not [name for name in imported if name.startswith("benchmarks") and not name.startswith("benchmarks.limits")]


def _modules(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        return ["benchmarks"] if node.level else [node.module or ""]
    return []
