"""What docs/client.md and the package's README show runs as it stands there; only the site is another."""

import ast
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from sunwi_client import answers
from tests.competitions import site as competitions
from tests.playing import score

pytestmark = pytest.mark.usefixtures("links")

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "clients/python"


def snippets(document: Path) -> list[str]:
    return re.findall(r"```python\n(.*?)```", document.read_text("utf-8"), re.DOTALL)


def run(snippet: str, known: dict[str, Any]) -> None:
    """In a thread of its own: browser tests leave an event loop running in this one, and a snippet starts one."""
    with ThreadPoolExecutor(1) as pool:
        pool.submit(exec, snippet, known).result()


def test_every_snippet_of_the_documentation_runs(
    site: str, key: str, board: int, capsys: pytest.CaptureFixture[str]
) -> None:
    competition = competitions.open_competition(competitions.make_board())
    first, *others = snippets(ROOT / "docs/client.md")
    known: dict[str, Any] = {}

    run(first, known)
    known |= {"SITE": site, "KEY": key, "BOARD": board, "COMPETITION": competition.pk}
    for snippet in others:
        run(snippet, known)

    printed = capsys.readouterr().out
    assert len(others) == 6
    assert "alice 150 1" in printed
    assert "carol not_joined" in printed
    assert "Let them join first" in printed
    assert "Play once to be ranked." in printed
    assert "'player': 'dave'" in printed


OF_TYPE: dict[str, Any] = {
    "result": answers.Result, "row": answers.Row, "period": answers.ListedPeriod, "page": answers.Page,
}  # fmt: skip  # as a table


def test_snippets_read_by_brackets_only_what_is_always_there() -> None:
    """Which pyright demands as it comes."""
    trees = [ast.parse(each) for each in snippets(ROOT / "docs/client.md")]
    read = {
        (node.value.id, node.slice.value)
        for tree in trees
        for node in ast.walk(tree)
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and isinstance(node.slice, ast.Constant)
    }

    assert {name for name, _ in read if name in OF_TYPE} == OF_TYPE.keys()
    lacking = {(name, key) for name, key in read if name in OF_TYPE and key not in OF_TYPE[name].__required_keys__}
    assert lacking == set()


def test_the_first_snippet_that_people_see_runs(
    site: str, key: str, board: int, capsys: pytest.CaptureFixture[str]
) -> None:
    score(board, {"bob": 1})
    [snippet] = snippets(PACKAGE / "README.md")
    real = {"https://boards.example": site, "sunwi_…": key, "board=1": f"board={board}", "top(1)": f"top({board})"}
    for shown, meant in real.items():
        assert shown in snippet
        snippet = snippet.replace(shown, meant)

    run(snippet, {})

    assert "'alice'" in capsys.readouterr().out


def test_the_package_says_that_it_has_types_and_holds_its_own_licence() -> None:
    assert (PACKAGE / "sunwi_client/py.typed").exists()
    assert (PACKAGE / "LICENSE").read_bytes() == (ROOT / "LICENSE").read_bytes()
