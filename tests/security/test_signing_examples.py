"""What docs/api.md says of signing is what is checked: its lines by OpenSSL, and its examples as they stand there."""

import hashlib
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import time_machine
from django.conf import settings

from foundation.security import signatures
from tests.leaderboards.api.conftest import Make, problem
from tests.security.signer import SCORES, Signer, entry

pytestmark = pytest.mark.django_db

RECORD = '#!/bin/sh\nprintf \'%s\\0\' "$@" > "$RECORDED"\n'
DOCUMENT = Path(settings.BASE_DIR) / "docs/api.md"


@pytest.fixture
def signer() -> Signer:
    return Signer()


@pytest.fixture
def board(make_board: Make) -> int:
    return make_board(storage="sql")


def example(language: str) -> str:
    examples = re.findall(rf"```{language}\n(.*?)```", DOCUMENT.read_text("utf-8"), re.DOTALL)
    (found,) = [each for each in examples if "cursor" not in each]
    return str(found)


@pytest.fixture
def openssl() -> None:
    """Other hands than ours; skipped where they are not installed."""
    if shutil.which("openssl") is None:
        pytest.skip("no OpenSSL to run the example with")


@pytest.mark.usefixtures("openssl")
def test_the_documented_lines_are_those_that_are_signed(signer: Signer) -> None:
    (lines,) = re.findall(r"```\n(sunwi-v1\n.*?)\n```", DOCUMENT.read_text("utf-8"), re.DOTALL)
    _, method, address, moment, nonce, digest = lines.split("\n")

    with time_machine.travel(int(moment), tick=False):
        stamp = signer.headers(method, address, b'{"entries": []}', nonce)

    expected = subprocess.run(
        ["openssl", "dgst", "-sha256", "-hmac", signer.secret, "-r"],
        input=lines.encode(),
        capture_output=True,
        check=True,
    )
    assert digest == hashlib.sha256(b'{"entries": []}').hexdigest()
    assert stamp["Sunwi-Signature"] == f"v1={expected.stdout.split()[0].decode()}"


def test_the_example_in_python_is_let_in(signer: Signer, board: int) -> None:
    names: dict[str, Any] = {}
    exec(example("python"), names)  # noqa: S102 - the code is from our own documentation
    player = f"/api/v1/boards/{board}/players/é ~"

    sent = names["signature_headers"]("POST", SCORES, "dry_run=true", entry(board), signer.secret)
    read = names["signature_headers"]("GET", player, "", b"", signer.secret)

    assert signer.send("POST", f"{SCORES}?dry_run=true", entry(board), signed=sent).json()["accepted"] == 1
    problem(signer.send("GET", player, signed=read), 404, "not_ranked")


@pytest.mark.usefixtures("openssl")
def test_the_example_for_the_shell_is_let_in(signer: Signer, tmp_path: Path) -> None:
    recorded, curl = tmp_path / "recorded", tmp_path / "curl"
    curl.write_text(RECORD)
    curl.chmod(0o755)
    secrets = {"SUNWI_KEY": signer.text, "SUNWI_SIGNING_SECRET": signer.secret, "RECORDED": str(recorded)}
    path = {"PATH": f"{tmp_path}:{os.environ['PATH']}"}

    subprocess.run(["sh", "-eu", "-c", example("sh")], check=True, env=path | secrets)

    url, option, body, *rest = recorded.read_text().rstrip("\0").split("\0")
    headers = dict(each.split(": ", 1) for each in rest[1::2])
    assert (option, set(rest[::2])) == ("--data-binary", {"-H"})  # which makes it a POST
    assert headers["Authorization"] == f"Bearer {signer.text}"
    stamp = {name: headers[name] for name in signatures.HEADERS}
    answer = signer.send("POST", url.removeprefix("https://boards.example"), body.encode(), signed=stamp)
    assert answer.json()["results"][0]["code"] == "unknown_board"
