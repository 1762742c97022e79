"""Names that were replaced by the terms of the field do not come back: the table in CHANGELOG.md lists them."""

import io
import re
import subprocess
import tokenize
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TABLE = (ROOT / "CHANGELOG.md").read_text("utf-8").partition("| before | now |")[2].partition("\n\n")[0]
RETIRED = frozenset(re.findall(r"^\| `(\w+)` \|", TABLE, re.MULTILINE))
LUA_NAME = re.compile(r"[A-Za-z_]\w*")


def tracked(*endings: str) -> list[Path]:
    """Files of the repository with these endings, without migrations, which keep the names of their day."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    paths = [Path(each) for each in listed.splitlines() if each.endswith(endings)]
    return [ROOT / path for path in paths if "migrations" not in path.parts]


def retired_names_in(path: Path) -> set[str]:
    """Retired names in the code of a file: not the words of its comments, nor of its texts."""
    text = path.read_text("utf-8")
    if RETIRED.isdisjoint(LUA_NAME.findall(text)):
        return set()  # nearly every file: reading its tokens would take twenty times as long
    if path.suffix == ".lua":
        code = re.sub(r"--.*|\"[^\"\n]*\"|'[^'\n]*'", "", text)
        return RETIRED & set(LUA_NAME.findall(code))
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return RETIRED & {token.string for token in tokens if token.type == tokenize.NAME}


@pytest.mark.parametrize("ending", [".py", ".lua"])
def test_no_retired_name_is_used(ending: str) -> None:
    found = {f"{path.relative_to(ROOT)}: {name}" for path in tracked(ending) for name in retired_names_in(path)}

    assert len(RETIRED) > 100
    assert len(tracked(ending)) > 10
    assert found == set()


def test_no_document_names_a_retired_name() -> None:
    spans = re.compile(r"`([^`\n]+)`")
    named = {
        f"{path.relative_to(ROOT)}: {word}"
        for path in tracked(".md")
        if path.name != "CHANGELOG.md"
        for span in spans.findall(path.read_text("utf-8"))
        for word in LUA_NAME.findall(span)
        if word in RETIRED
    }

    assert named == set()
