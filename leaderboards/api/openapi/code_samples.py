"""Code samples of a call in curl, Python and JavaScript, generated from one description.

Reads need no key. ``$SUNWI`` stands for the site's address and ``$SUNWI_KEY`` for a service key.
"""

import json
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Call:
    """A call of the API; ``path`` begins below the site's address."""

    method: str
    path: str
    body: Any = None

    @property
    def takes_key(self) -> bool:
        """Whether it writes."""
        return self.method != "GET"


def code_samples(call: Call) -> list[dict[str, str]]:
    """The same call in three languages, as ``x-codeSamples``."""
    sources = (("Shell", "curl", curl), ("Python", "Python", python), ("JavaScript", "JavaScript", js))
    return [{"lang": lang, "label": label, "source": source(call)} for lang, label, source in sources]


def as_markdown(samples: list[dict[str, str]]) -> str:
    """The samples for pages that show descriptions only."""
    parts = [f"**{each['label']}**\n\n```{each['lang'].lower()}\n{each['source']}\n```" for each in samples]
    return "\n\n".join(parts)


def curl(call: Call) -> str:
    """For a shell."""
    lines = [f'curl -X {call.method} "$SUNWI{call.path}"' if call.method != "GET" else f'curl "$SUNWI{call.path}"']
    if call.takes_key:
        lines.append('-H "Authorization: Bearer $SUNWI_KEY"')
    if call.body is not None:
        quoted = json.dumps(call.body, ensure_ascii=False).replace("'", "'\\''")
        lines += ['-H "Content-Type: application/json"', f"-d '{quoted}'"]
    return " \\\n  ".join(lines)


def python(call: Call) -> str:
    """With nothing but the standard library."""
    body = call.body is not None
    lines = ["import json", "import os", "import urllib.request", "", "request = urllib.request.Request("]
    lines += [f'    os.environ["SUNWI"] + {json.dumps(call.path)},', f'    method="{call.method}",']
    headers = ['"Authorization": "Bearer " + os.environ["SUNWI_KEY"]'] if call.takes_key else []
    headers += ['"Content-Type": "application/json"'] if body else []
    lines += [f"    headers={{{', '.join(headers)}}},"] if headers else []
    lines += [f"    data=json.dumps({call.body!r}).encode(),"] if body else []
    lines += [")", "with urllib.request.urlopen(request) as answer:"]
    return "\n".join([*lines, '    print(answer.status, answer.read().decode("utf-8"))'])


def js(call: Call) -> str:
    """With fetch: for browsers where it reads, for servers where it writes."""
    lines = []
    if call.takes_key:
        lines = [f'  method: "{call.method}",']
        headers = ["Authorization: `Bearer ${process.env.SUNWI_KEY}`"]
        headers += ['"Content-Type": "application/json"'] if call.body is not None else []
        lines.append(f"  headers: {{ {', '.join(headers)} }},")
    if call.body is not None:
        lines.append(f"  body: JSON.stringify({json.dumps(call.body, ensure_ascii=False)}),")
    site = "process.env.SUNWI" if call.takes_key else "SUNWI"
    options = ["", *lines, "}"] if lines else []
    opened = f"const answer = await fetch(`${{{site}}}{call.path}`" + (", {" if lines else "")
    return "\n".join([opened + "\n".join(options) + ");", "console.log(answer.status, await answer.text());"])
