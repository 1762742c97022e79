"""What documents, the image and the Compose file name is there, and the API's documentation is served."""

import re
import subprocess
from pathlib import Path

import pytest
from django.apps import apps
from django.contrib.staticfiles import finders
from django.test import Client
from django.urls import reverse

from leaderboards.api.openapi.board_schemas import SettingsOfBoard
from leaderboards.services.boards import SETTINGS

ROOT = Path(__file__).parents[2]


def test_every_setting_of_a_board_is_in_its_document_and_in_the_schema_of_the_api() -> None:
    table = (ROOT / "docs/boards.md").read_text().partition("## Settings")[2].partition("\n## ")[0]
    written = {name for row in re.findall(r"^\| (`[^|]+`) \|", table, re.MULTILINE) for name in re.findall(r"\w+", row)}

    assert set(SETTINGS) == set(SettingsOfBoard.model_fields)
    assert set(SETTINGS) == written


NAMING = [*ROOT.glob("docs/*.md"), *ROOT.glob("docs/[gos]*/*.md"), *ROOT.glob("tests/faults/mutants/*.patch")]
TEST = re.compile(r"(tests/[\w/.-]+?\.py)(?:::([\w:]+))?")


def test_the_page_reads_the_document_beside_it_and_nothing_from_anywhere_else(client: Client) -> None:
    response = client.get("/api/docs")

    page, policy = response.content.decode(), response["Content-Security-Policy"]
    loaded = re.findall(r'<(?:link|script)[^>]* (?:src|href)="([^"]+)"', page)
    assert reverse("api-docs") == "/api/docs"
    assert '"url": "/api/openapi.json"' in page
    assert loaded
    for address in loaded:
        assert finders.find(address.removeprefix("/static/")), address
    assert "script-src 'self'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert '<html lang="en">' in page
    assert '<meta name="viewport" content="width=device-width, initial-scale=1">' in page


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


def test_the_image_takes_every_app_of_ours_along() -> None:
    copied = {line.split()[1] for line in (ROOT / "Dockerfile").read_text().splitlines() if "COPY" in line}
    let_through = {line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")}

    ours = {each.name for each in apps.get_app_configs() if Path(each.path).parent == ROOT}

    assert {"foundation", "leaderboards"} < ours
    assert ours <= copied & let_through


def test_nothing_starts_before_the_servers_were_checked() -> None:
    services = (ROOT / "docker-compose.yml").read_text().partition("\nservices:\n")[2]

    first, _, others = services.partition("\n  web:\n")

    assert "manage.py check --deploy && python manage.py migrate" in first
    assert "depends_on: &ready\n      migrate: {condition: service_completed_successfully}" in others
    assert others.count("depends_on: *ready") == 2


@pytest.mark.parametrize("patch", sorted(ROOT.glob("tests/faults/mutants/*.patch")), ids=lambda path: path.stem)
def test_every_mutant_still_applies(patch: Path) -> None:
    subprocess.run(["git", "apply", "--check", str(patch)], cwd=ROOT, check=True)
