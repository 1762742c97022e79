"""What docs/webhooks.md tells receivers to do, done: its two examples judge what Sunwi sends."""

import json
import re
import shutil
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings

from foundation import clock
from foundation.webhooks import signing

BODY = '{"type":"test","data":{"name":"순위"}}'.encode()

Judge = Callable[[Mapping[str, str], bytes, str], bool]


def example(language: str) -> str:
    text = (Path(settings.BASE_DIR) / "docs/webhooks.md").read_text("utf-8")
    (found,) = re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)
    return str(found)


def in_python(headers: Mapping[str, str], body: bytes, secret: str) -> bool:
    names: dict[str, Any] = {}
    exec(example("python"), names)  # noqa: S102 (our own page)
    return bool(names["is_genuine"](headers, body, secret))


def in_javascript(headers: Mapping[str, str], body: bytes, secret: str) -> bool:
    if shutil.which("node") is None:
        pytest.skip("no Node.js to run the example with")
    given = ", ".join((json.dumps(dict(headers)), f"Buffer.from({json.dumps(body.decode())})", json.dumps(secret)))
    program = f"{example('javascript')}\nconsole.log(isGenuine({given}));"
    said = subprocess.run(["node", "-"], input=program, capture_output=True, text=True, check=True).stdout
    return {"true": True, "false": False}[said.strip()]


@pytest.mark.parametrize("is_genuine", [in_python, in_javascript])
def test_the_documented_examples_tell_our_messages_from_others_and_old_ones(is_genuine: Judge) -> None:
    old, new = signing.new_secret(), signing.new_secret()
    headers = signing.headers("order-1", clock.now(), BODY, [new, old])
    late = signing.headers("order-1", clock.now() - 2 * signing.TOLERATED, BODY, [new])

    assert is_genuine(headers, BODY, new)
    assert is_genuine(headers, BODY, old)
    assert not is_genuine(headers, BODY, signing.new_secret())
    assert not is_genuine(headers, BODY + b" ", new)
    assert not is_genuine({**headers, "webhook-id": "order-2"}, BODY, new)
    assert not is_genuine(late, BODY, new)
