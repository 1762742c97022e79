"""Reads the snippets of a Markdown page, and runs them in one shell as a reader would.

What a page can say of a fence of three backticks:

- ``sh``: commands. They run in the order of the page, in one shell; each must end with status 0.
- ``sh`` after ``<!-- not run: why -->``: is not run, and the reason is there for readers of the source.
- no word, or ``json``, right after commands: what they print. ``…`` stands for anything; blanks do not count, nor do
  dates, times, keys and numbers of boards that differ from day to day.
- anything else after a line that ends with a file's name in backticks and a colon: the content of that file.
"""

import re
import shlex
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FILE = re.compile(r"`([\w./-]*\.\w+)`:$")
NOT_RUN = re.compile(r"<!-- not run: (.+?) -->$", re.DOTALL)
VARYING = (
    (re.compile(r"\d{4}-\d\d-\d\d(T[\d:.]+(Z|[+-]\d\d:\d\d))?"), "<day>"),
    (re.compile(r'("?period"?:\s*|_|")\d{4}-\d\d\b'), r"\1<week>"),
    (re.compile(r"sunwi_[0-9a-f]{8}_[0-9a-f]{40}"), "<key>"),
    (re.compile(r'("(?:board|seq|competition|id|Daily sprint|[\w ]+ board)":\s*)\d+'), r"\1<number>"),
)
SHELL_SECONDS = 240


@dataclass(frozen=True)
class Snippet:
    """A fence of a page."""

    line: int
    language: str
    text: str
    file: str = ""  # what it is the content of
    reason: str = ""  # why it is not run
    output: str | None = None  # what it prints

    @property
    def is_run(self) -> bool:
        return self.language == "sh" and not self.reason


def snippets(page: Path) -> list[Snippet]:
    """The fences of a page; one that is the output of another is with that one."""
    text, found = page.read_text("utf-8"), list[Snippet]()
    end = 0
    for fence in FENCE.finditer(text):
        between, (language, content) = text[end : fence.start()], fence.groups()
        before, line = between.rstrip().rpartition("\n")[2], text.count("\n", 0, fence.start()) + 1
        named, why = FILE.search(before), NOT_RUN.search(between.rstrip())
        if found and not between.strip() and language in {"", "json"} and found[-1].output is None:
            found[-1] = Snippet(**{**vars(found[-1]), "output": content})
        else:
            found.append(Snippet(line, language, content, named[1] if named else "", why[1] if why else ""))
        end = fence.end()
    return found


def script(page: list[Snippet], renamed: dict[str, str]) -> str:
    """A shell script that writes the files and runs the commands, with a mark before the output of each snippet."""
    lines = ["set -eu"]
    for number, snippet in enumerate(page):
        text = snippet.text
        for shown, meant in renamed.items():
            text = text.replace(shown, meant)
        if snippet.file:
            quoted = shlex.quote(text.removesuffix("\n"))
            lines.append(f"mkdir -p {shlex.quote(str(Path(snippet.file).parent))}")
            lines.append(f"printf '%s\\n' {quoted} > {shlex.quote(snippet.file)}")
        elif snippet.is_run:
            lines.append(f"echo; echo '<<< {number}'\n{text.rstrip()}")
    return "\n".join([*lines, "echo; echo '<<< end'"]) + "\n"


def run(page: list[Snippet], folder: Path, renamed: dict[str, str], environment: dict[str, str]) -> dict[int, str]:
    """Run a page in ``folder``; what each snippet printed, by its place. Fails with all that was printed."""
    ended = subprocess.run(
        ["bash", "-c", script(page, renamed)], cwd=folder, env=environment, text=True, timeout=SHELL_SECONDS,
        check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
    )  # fmt: skip  # as a table
    assert ended.returncode == 0, f"the last snippet that began ended with {ended.returncode}:\n{ended.stdout}"
    parts = re.split(r"^<<< (\d+|end)\n", ended.stdout, flags=re.MULTILINE)
    return {int(number): text for number, text in zip(parts[1:-1:2], parts[2::2], strict=False) if number != "end"}


def differences(page: list[Snippet], printed: dict[int, str], renamed: dict[str, str]) -> Iterator[str]:
    """A sentence for each snippet that prints something else than the page says."""
    back = {meant: shown for shown, meant in renamed.items()}
    for number, snippet in enumerate(page):
        if snippet.is_run and snippet.output is not None:
            text = printed[number]
            for meant, shown in back.items():
                text = text.replace(meant, shown)
            wanted = ".*".join(map(re.escape, _plain(snippet.output).split("…")))
            if not re.fullmatch(wanted, _plain(text), re.DOTALL):
                yield f"line {snippet.line} prints\n{text}\nnot\n{snippet.output}"


def _plain(text: str) -> str:
    for pattern, word in VARYING:
        text = pattern.sub(word, text)
    return re.sub(r"\s+", "", text)
