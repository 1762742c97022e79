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
class TestHeader:
    def test_it_lists_keys_arguments_and_the_answer(self, path: Path) -> None:
        found = [line.split()[1] for line in header(path).splitlines() if re.match(r"-- (KEYS|ARGV|returns)\b", line)]

        assert found == ["KEYS", "ARGV", "returns"]

    def test_its_keys_are_those_that_the_code_touches(self, path: Path) -> None:
        listed = {number for number, name in named_keys(path).items() if name != "…"}

        touched = {int(number) for number in re.findall(r"KEYS\[(\d+)\]", code(path))}

        assert touched == listed

    def test_its_arguments_by_number_are_among_those_that_the_header_lists(self, path: Path) -> None:
        said = {int(number) for number in re.findall(r"(?:^|\s)(\d+) [a-z2]", header(path).partition("ARGV")[2])}

        assert {int(number) for number in re.findall(r"ARGV\[(\d+)\]", code(path))} <= said

    def test_somebody_calls_it(self, path: Path) -> None:
        assert f'"{path.stem}"' in CALLERS


def test_no_script_calls_what_its_keys_do_not_name() -> None:
    for path in SCRIPTS:
        for command, key in re.findall(r"redis\.call\('(\w+)'(?:, 'OR')?(?:, ([^,)]+))?", code(path)):
            assert command == "TIME" or key.strip().startswith(("KEYS[", "key")), f"{path.stem}: {command} {key}"
