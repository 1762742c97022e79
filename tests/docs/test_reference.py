"""The site's pages of reference tell all that the code has, and refuse to be made where a document is behind."""

import re
from pathlib import Path

import pytest
from django.core.management import get_commands

from leaderboards.core.keys import PeriodKeyFamily, zset
from site_pages import PAGES, api, commands, keys, metrics, settings, write_all

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.django_db  # examples of the API name boards that exist


@pytest.fixture(scope="module")
def found() -> dict[str, settings.Setting]:
    return settings.read()


def test_every_page_of_reference_is_written(tmp_path: Path) -> None:
    write_all(tmp_path / "reference")

    written = {path.stem: path.read_text("utf-8") for path in (tmp_path / "reference").iterdir()}
    assert written.keys() == PAGES.keys()
    assert all(text.startswith("# ") and text.endswith("\n") for text in written.values())


def test_settings_are_those_that_the_code_reads_on_either_database(found: dict[str, settings.Setting]) -> None:
    assert found["AUDIT_KEEP_DAYS"] == settings.Setting("AUDIT_KEEP_DAYS", "whole number", "730")
    assert found["SQL_LOCK_SECONDS"] == settings.Setting("SQL_LOCK_SECONDS", "number", "2.5")
    assert found["HTTPS"].kind == "on/off"
    assert {"SECRET_KEY", "REDIS_PASSWORD", "LOGIN_DAY_LIMIT", "CONN_MAX_AGE"} <= found.keys()
    page = settings.page()
    assert all(f"| `{name}` |" in page for name in found)


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"AUDIT_KEEP_DAYS": None}, "does not say what these mean: AUDIT_KEEP_DAYS"),
        ({"NO_SUCH_THING": ("`1`", "nothing")}, "names what nothing reads: NO_SUCH_THING"),
        ({"AUDIT_KEEP_DAYS": ("`731`", "how long")}, "the default of AUDIT_KEEP_DAYS is 730, not 731"),
    ],
)
def test_a_document_that_is_behind_the_code_is_refused(
    changed: dict[str, tuple[str, str] | None], why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = settings.meanings() | changed
    monkeypatch.setattr(settings, "meanings", lambda: {name: each for name, each in told.items() if each})

    with pytest.raises(ValueError, match=why):
        settings.page()


def test_metrics_are_those_that_operators_are_told_of() -> None:
    section = (ROOT / "docs/operations/monitor.md").read_text("utf-8").partition("\n## Metrics\n")[2]
    told = set(re.findall(r"`(sunwi_\w+)", section.partition("\n## ")[0]))

    declared = {each.name: each for each in metrics.declared()}

    assert declared.keys() == told
    assert all(each.description for each in declared.values())
    assert declared["sunwi_submissions_total"].labels == "`board`, `outcome`"
    assert declared["sunwi_up"].labels == "`server`"
    assert declared["sunwi_close_seconds"].kind == "histogram"


def test_commands_and_their_arguments_are_all_there() -> None:
    page = commands.page()

    apps = {"accounts", "competitions", "foundation", "leaderboards", "likes"}
    assert set(commands.own()) == {name for name, app in get_commands().items() if app in apps}
    assert all(f"\n## {name}\n" in page for name in commands.own())
    assert "manage.py create_service_key NAME --scope SCOPE" in page
    assert "| `[--repair]` |" in page
    assert "--settings" not in page


def test_operations_and_shapes_are_all_there() -> None:
    schema, page = api.document(), api.page()

    for path, operations in schema["paths"].items():
        for method in operations:
            assert f"\n### {method.upper()} {path}\n" in page
    headings = {heading.lower() for heading in re.findall(r"^### (\w+)$", page, re.MULTILINE)}
    assert set(re.findall(r"\]\(#(\w+)\)", page)) <= headings
    assert any("/competitions/" in path for path in schema["paths"])
    assert any("/likes/" in path for path in schema["paths"])


def test_keys_of_a_period_are_all_there() -> None:
    page = keys.page()

    assert all(f"| `{key}` |" in page for key in PeriodKeyFamily(zset(1, "2026-47")).all_keys)
    assert "{comment:456}:liked_by" in page
    assert "attend:2026-11-24" in page
