"""The API's documentation, served by the site itself under its own security policy; and tests that documents name."""

import re
from pathlib import Path

import pytest
from django.contrib.staticfiles import finders
from django.test import Client
from django.urls import reverse


def test_the_page_reads_the_document_beside_it_and_nothing_from_anywhere_else(client: Client) -> None:
    response = client.get("/api/docs")

    page, policy = response.content.decode(), response["Content-Security-Policy"]
    loaded = re.findall(r'(?:src|href)="([^"]+)"', page)
    assert reverse("api-docs") == "/api/docs"
    assert '"url": "/api/openapi.json"' in page
    assert loaded
    for address in loaded:
        assert finders.find(address.removeprefix("/static/")), address
    assert "script-src 'self'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy


ROOT = Path(__file__).parents[2]
NAMING = [*ROOT.glob("docs/*.md"), *ROOT.glob("tests/faults/mutants/*.patch")]
TEST = re.compile(r"(tests/[\w/.-]+?\.py)(?:::([\w:]+))?")


@pytest.mark.parametrize("path", NAMING, ids=lambda path: path.stem)
def test_every_test_that_is_named_exists(path: Path) -> None:
    lines = path.read_text().splitlines()
    named = TEST.findall("\n".join(lines if path.suffix == ".md" else lines[:2]))

    missing = [
        f"{file}::{name}"
        for file, name in named
        if not (ROOT / file).exists()
        or (name and not re.search(rf"(def|class) {name.split('::')[-1]}\b", (ROOT / file).read_text()))
    ]

    assert missing == []
