"""Each script's header says what the script takes: its keys, its arguments, and what includes expect."""

import re
from pathlib import Path

import pytest

from leaderboards.stores.redis import reads

FOLDER = Path(reads.__file__).parent / "scripts"
INCLUDED = {
    "guard",
    "deadline",
    "batch",
    "members_and_scores",
    "place",
    "places",
    "standings",
    "evaluate",
    "ids",
    "standings_reply",
    "rows",
    "members",
    "fence",
    "questions",
}
SCRIPTS = sorted(path for path in FOLDER.glob("*.lua") if path.stem not in INCLUDED)
CALLERS = "\n".join(path.read_text() for path in FOLDER.parent.glob("*.py"))


COMPACT = FOLDER / "compact"
OF_COMPACT = sorted(
    set(re.findall(r'(?:script_of|run_of)\([^"]*"(\w+)"', CALLERS))
    | {path.stem for path in COMPACT.glob("*.lua") if path.read_text().startswith("#!")}
)


def header(path: Path) -> str:
    """The comment that a script opens with."""
    lines = path.read_text().splitlines()[1:]
    return "\n".join(line for line in lines[: next(i for i, line in enumerate(lines) if not line.startswith("-- "))])


def named_keys(path: Path) -> dict[int, str]:
    """The keys that the header lists, by number; ``…`` for those that go on."""
    line = next(line for line in header(path).splitlines() if line.startswith("-- KEYS"))
    return {
        int(number): "…" if more else name for number, more, name in re.findall(r"(?:^|\s)(\d+)(…?) (\w+)", line[7:])
    }


def code(path: Path) -> str:
    """The script with its includes, without comments."""
    return re.sub(r"--[^\n]*", "", reads.script(path.stem).text)


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_a_header_lists_the_keys_and_arguments_that_its_script_takes(path: Path) -> None:
    listed, arguments, text = named_keys(path), header(path).partition("ARGV")[2], code(path)

    fixed = {number for number, name in listed.items() if name != "…"}
    touched = {int(number) for number in re.findall(r"KEYS\[(\d+)\]", text)}
    assert touched <= fixed
    # `place.lua` speaks of all that a write needs; what a form does not use is listed all the same.
    assert {listed[number] for number in fixed - touched} <= {"members", "scores"}
    said = {int(number) for number in re.findall(r"(?:^|\s)(\d+) [a-z2]", arguments)}
    assert {int(number) for number in re.findall(r"ARGV\[(\d+)\]", text)} <= said
    assert f'"{path.stem}"' in CALLERS


def test_no_script_calls_what_its_keys_do_not_name() -> None:
    for path in SCRIPTS:
        for command, key in re.findall(r"(?:redis\.call|batch_write|batch_read)\('(\w+)'(?:, ([^,)]+))?", code(path)):
            assert command == "TIME" or key.strip().startswith(("KEYS[", "key")), f"{path.stem}: {command} {key}"


def compact_code(name: str) -> str:
    """A script as compact families need it, without comments."""
    return re.sub(r"--[^\n]*", "", reads.compact_script(name).text)


@pytest.mark.parametrize("name", OF_COMPACT)
def test_a_script_of_compact_families_takes_the_same_keys_and_arguments(name: str) -> None:
    own = COMPACT / f"{name}.lua"
    path = own if own.is_file() else FOLDER / own.name
    listed, text = named_keys(path), compact_code(name)

    assert {int(number) for number in re.findall(r"KEYS\[(\d+)\]", text)} <= listed.keys()
    for command, key in re.findall(r"(?:redis\.call|batch_write|batch_read)\('(\w+)'(?:, ([^,)]+))?", text):
        assert key.strip().startswith(("KEYS[", "key")), f"{name}: {command} {key}"
        assert command[0] != "Z" or name == "check_distinct_scores", "a compact family has no sorted set"
    if own.is_file() and (FOLDER / own.name).is_file():
        assert header(own).partition("KEYS")[2] == header(FOLDER / own.name).partition("KEYS")[2]


def test_all_that_reads_and_writes_a_hybrid_family_knows_compact_ones() -> None:
    assert {"read", "beside", "scores", "counts", "quantiles", "publish", "fill", "lookup", "scan", "walk"} <= {
        *OF_COMPACT
    }
