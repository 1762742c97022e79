"""Each script's header says what the script takes: its keys and its arguments, and somebody calls it by its name."""

import re
from pathlib import Path

import pytest

from likes.stores import lua
from tests.leaderboards.stores.test_scripts import header, named_keys

FOLDER = Path(lua.__file__).parent / "scripts"
INCLUDED = {name for path in FOLDER.glob("*.lua") for name in re.findall(r"--! include (\w+)\.lua", path.read_text())}
SCRIPTS = sorted(path for path in FOLDER.glob("*.lua") if path.stem not in INCLUDED)
CALLERS = "\n".join(path.read_text() for path in FOLDER.parent.glob("*.py"))


def code(path: Path) -> str:
    """The script with its includes, without comments."""
    return re.sub(r"--[^\n]*", "", lua.script(path.stem).text)


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_its_header_lists_the_keys_and_arguments_that_it_touches_and_it_has_a_caller(path: Path) -> None:
    lines = [line.split()[1] for line in header(path).splitlines() if re.match(r"-- (KEYS|ARGV|returns)\b", line)]
    listed = {number for number, name in named_keys(path).items() if name != "…"}
    said = {int(number) for number in re.findall(r"(?:^|\s)(\d+) [a-z2]", header(path).partition("ARGV")[2])}

    assert lines == ["KEYS", "ARGV", "returns"]
    assert {int(number) for number in re.findall(r"KEYS\[(\d+)\]", code(path))} == listed
    assert {int(number) for number in re.findall(r"ARGV\[(\d+)\]", code(path))} <= said
    assert f'"{path.stem}"' in CALLERS


def test_no_script_calls_what_its_keys_do_not_name() -> None:
    for path in SCRIPTS:
        for command, key in re.findall(r"redis\.call\('(\w+)'(?:, 'OR')?(?:, ([^,)]+))?", code(path)):
            assert command == "TIME" or key.strip().startswith(("KEYS[", "key")), f"{path.stem}: {command} {key}"
