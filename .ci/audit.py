"""Whether a weakness is known of a locked package: `make audit`, and a step of `.ci/run`. Exit status 1 where one is.

pip-audit asks; it is installed beside everything else, from its own locked list. Where its data cannot be reached this
says NOT AUDITED and fails nothing: somebody then runs `make audit` where there is a network. The trap: pip-audit passes
what it was told nothing of, so a package that it left out counts as not audited. Standard library only.

Usage: python3 .ci/audit.py [what pip-audit takes besides, such as --ignore-vuln ID or -s osv]
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
LOCKED = ROOT / "requirements-dev.txt"  # holds all the others
OWN = ROOT / ".ci" / "requirements-audit.txt"
PLACE = ROOT / ".ci-audit"
PATIENCE_SECONDS = 180


def tool() -> str | None:
    """pip-audit: PIP_AUDIT of the environment, or our own, installed now if need be; None where that fails."""
    if given := os.environ.get("PIP_AUDIT"):
        return given
    own = PLACE / "bin" / "pip-audit"
    if own.exists():
        return str(own)
    install = [str(PLACE / "bin" / "python"), "-m", "pip", "install", "-q", "--disable-pip-version-check"]
    made = _done([sys.executable, "-m", "venv", str(PLACE)]) and _done([*install, "--require-hashes", "-r", str(OWN)])
    return str(own) if made else None


def _done(command: list[str]) -> bool:
    try:
        return subprocess.run(command, check=False, timeout=PATIENCE_SECONDS).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


def asked(program: str, more: Sequence[str]) -> list[dict[str, Any]] | None:
    """What is known of each package; None where nothing was told. Its exit status says too little to be looked at."""
    with tempfile.TemporaryDirectory() as folder:
        told = Path(folder) / "told.json"
        command = [program, "-r", str(LOCKED), "--no-deps", "--disable-pip", "--progress-spinner", "off", *more]
        _done([*command, "-f", "json", "-o", str(told)])
        try:
            packages = json.loads(told.read_text())["dependencies"]
        except (OSError, ValueError, KeyError, TypeError):
            return None
        return packages if isinstance(packages, list) else None


def judged(packages: list[dict[str, Any]] | None) -> tuple[list[str], str]:
    """A line for each known weakness, and why the answer is not whole; empty where it is."""
    if not packages:
        return [], "no answer came"
    weak = [
        f"{each['name']} {each['version']}: {known['id']}, fixed in {', '.join(known['fix_versions']) or 'no version'}"
        for each in packages
        for known in each.get("vulns", [])
    ]
    left_out = [each["name"] for each in packages if "skip_reason" in each]
    return weak, f"nothing was told of {len(left_out)} of {len(packages)} packages" if left_out else ""


def main(more: Sequence[str]) -> int:
    """Tell what was found."""
    program = tool()
    weak, missing = judged(asked(program, more)) if program else ([], "pip-audit could not be installed")
    for line in weak:
        print(f"KNOWN WEAKNESS: {line}")
    if missing:
        print(f"NOT AUDITED: {missing}. Run `make audit` where the network is reached, before each release.")
    if not weak and not missing:
        print("No weakness is known of any locked package.")
    return 1 if weak else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
