"""Files of the code that documents and docstrings name are there."""

import ast
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[2]
CODE = ("py", "lua", "js", "css", "html", "sql", "service")
NAMED = re.compile(rf"`([\w./-]+\.(?:{'|'.join(CODE)}))(?:::[\w:]+)?`")
APPS = ("accounts", "competitions", "config", "foundation", "leaderboards", "likes", "tests", "benchmarks", "clients")
READERS = ("recipes/", "mysite/", ".data/", "/static/")  # files of the reader's project, and addresses


def tracked() -> list[str]:
    return subprocess.run(["git", "ls-files"], cwd=ROOT, check=True, capture_output=True, text=True).stdout.splitlines()


FILES = tracked()
TAILS = {"/".join(parts[nth:]) for parts in (file.split("/") for file in FILES) for nth in range(len(parts))}


def missing(where: str, text: str) -> set[str]:
    """The files that this text names, by their path or the end of it, and that are not there."""
    return {f"{where}: {name}" for name in NAMED.findall(text) if name not in TAILS and not name.startswith(READERS)}


def docstring(file: str) -> str:
    return ast.get_docstring(ast.parse((ROOT / file).read_text("utf-8"))) or ""


def test_every_file_of_the_code_that_a_document_names_exists() -> None:
    documents = [file for file in FILES if file.endswith(".md") and file != "CHANGELOG.md"]

    found = set().union(*(missing(file, (ROOT / file).read_text("utf-8")) for file in documents))

    assert len(documents) > 50
    assert found == set()


def test_every_file_that_a_modules_docstring_names_exists() -> None:
    modules = [file for file in FILES if file.endswith(".py") and file.startswith(APPS)]

    found = set().union(*(missing(file, docstring(file)) for file in modules))

    assert len(modules) > 500
    assert found == set()
