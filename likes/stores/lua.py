"""The Lua of the stores of likes. What boards have already (the guard, renewing) is used as it is there."""

from functools import cache
from pathlib import Path

from foundation import lua
from leaderboards.stores import zset

_OWN = Path(__file__).parent / "scripts"
_BOARDS = Path(zset.__file__).parent / "scripts"


@cache
def script(name: str) -> lua.Script:
    """The script of that name, ours or the boards'."""
    own = _OWN / f"{name}.lua"
    return lua.load(own if own.is_file() else _BOARDS / own.name, _BOARDS)
