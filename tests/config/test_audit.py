"""`make audit` against a pip-audit that answers as the real one does: weak, well, half told, and not at all."""

import json
import os
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

from tests.security.front import ROOT

SCRIPT = ROOT / ".ci" / "audit.py"
WELL = {"name": "django", "version": "5.2.19", "vulns": []}
SKIPPED = {"name": "whitenoise", "skip_reason": "Dependency not found and could not be audited: whitenoise (6.12.0)"}
WEAK = {"name": "pillow", "version": "1.0", "vulns": [{"id": "PYSEC-1", "fix_versions": ["1.1"], "aliases": []}]}


def audited(folder: Path, answer: str | None, status: int = 0) -> subprocess.CompletedProcess[str]:
    """What the script says where pip-audit writes ``answer`` to the file it is told, and ends with ``status``."""
    program = folder / "pip-audit"
    write = "" if answer is None else f"""while [ "$1" != "-o" ]; do shift; done; printf '%s' '{answer}' > "$2";"""
    program.write_text(f"#!/bin/sh\n{write}\nexit {status}\n")
    program.chmod(0o755)
    environment = os.environ | {"PIP_AUDIT": str(program)}
    return subprocess.run([sys.executable, SCRIPT], env=environment, capture_output=True, text=True, check=False)


def dependencies(*packages: object) -> str:
    return json.dumps({"dependencies": packages, "fixes": []})


@pytest.mark.parametrize("others", [(), (SKIPPED,)], ids=["all-told", "half-told"])
def test_a_known_weakness_is_red_and_named_also_where_others_were_skipped(
    tmp_path: Path, others: tuple[object]
) -> None:
    done = audited(tmp_path, dependencies(WELL, WEAK, *others), status=1)

    assert done.returncode == 1
    assert "KNOWN WEAKNESS: pillow 1.0: PYSEC-1, fixed in 1.1" in done.stdout


def test_without_any_it_is_green(tmp_path: Path) -> None:
    done = audited(tmp_path, dependencies(WELL))

    assert (done.returncode, done.stdout) == (0, "No weakness is known of any locked package.\n")


@pytest.mark.parametrize(
    ("answer", "status", "why"),
    [
        (None, 1, "no answer came"),
        ("nonsense", 1, "no answer came"),
        ("[]", 0, "no answer came"),
        (dependencies(), 0, "no answer came"),
        # What pip-audit calls "No known vulnerabilities found" where an index has no such data.
        (dependencies(SKIPPED, WELL), 0, "nothing was told of 1 of 2 packages"),
    ],
    ids=["net-away", "no-json", "a-list", "empty", "skipped"],
)
def test_where_its_data_cannot_be_reached_it_says_so_and_is_not_red(
    tmp_path: Path, answer: str | None, status: int, why: str
) -> None:
    done = audited(tmp_path, answer, status)

    assert done.returncode == 0
    assert f"NOT AUDITED: {why}." in done.stdout
    assert "No weakness is known" not in done.stdout


def test_it_looks_at_everything_that_is_locked_and_ci_runs_it() -> None:
    script = runpy.run_path(str(SCRIPT))

    def locked(name: str) -> set[str]:
        return {line.partition(" ")[0] for line in (ROOT / name).read_text().splitlines() if "==" in line[:60]}

    assert script["LOCKED"] == ROOT / "requirements-dev.txt"
    assert locked("requirements.txt") <= locked("requirements-dev.txt")
    assert any(each.startswith("pip-audit==") for each in locked(".ci/requirements-audit.txt"))
    assert "make --no-print-directory audit\n" in (ROOT / ".ci/run").read_text()
