"""Redis keys, from the modules that spell them."""

import inspect
from collections.abc import Iterator
from datetime import date

from foundation.sync.keys import KeyFamily
from leaderboards.core import keys as boards
from likes.core import keys as likes
from site_pages.tables import code, table

PERIOD = boards.PeriodKeyFamily(boards.zset(1, "2026-47"))
INTRO = """# Redis keys

Made from `leaderboards/core/keys.py` and `likes/core/keys.py`, where alone keys are spelled. Examples are of board 1,
of the week `2026-47`, of comment 456 and of 24 November 2026. [Data](../data.md#keys) says what the values hold, and
names the keys of the page cache and of rate limits.
"""
# Which methods of a family are keys of its own: those with a docstring that make a name.
HELPERS = {"all_keys"}


def page() -> str:
    """The page."""
    zset = [(PERIOD.zset, _first_line(boards.zset))]
    day = date(2026, 11, 24)
    calls = [
        (boards.ids("LeaderBoard_1", "<day>", 0).replace(":0", ":<n>"), _first_line(boards.ids)),
        (boards.recent("LeaderBoard_1", "alice").rpartition(":")[0] + ":<digest>", _first_line(boards.recent)),
    ]
    parts = {
        "A period of a board": [*zset, *_of(PERIOD), *calls],
        "A thing that is liked": _of(likes.ThingKeys("comment", "456")),
        "A kind of likes that Redis decides": _of(likes.KindKeys("comment")),
        "A day of visits": _of(likes.DayKeys(day)),
    }
    tables = (
        f"\n## {title}\n\n" + table(["key", "holds"], [(code(k), d) for k, d in rows]) for title, rows in parts.items()
    )
    return INTRO + "".join(tables)


def _of(family: object) -> list[tuple[str, str]]:
    return list(_keys(family))


def _keys(family: object) -> Iterator[tuple[str, str]]:
    bases = [*type(family).__mro__[:-1]]
    names = [name for base in reversed(bases) for name, value in vars(base).items() if isinstance(value, property)]
    for name in dict.fromkeys(names):
        if name not in HELPERS and _is_used(family, name):
            told = inspect.getdoc(getattr(type(family), name)) or ""
            yield str(getattr(family, name)), told.replace("``", "`").partition("\n\n")[0]


def _is_used(family: object, name: str) -> bool:
    """Whether a family has this key: what all families have, a kind of likes need not."""
    if isinstance(family, KeyFamily) and name in vars(KeyFamily):
        return getattr(family, name) in family.all_keys
    return True


def _first_line(function: object) -> str:
    return (inspect.getdoc(function) or "").replace("``", "`").partition("\n\n")[0]
