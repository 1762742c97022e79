"""What an import of players would change, told before it is confirmed. Nothing is written.

Of what changes the first rows are kept, by the player's id and the new texts: the old ones are read when somebody
looks. The trap: an empty cell is a text too, and empties what the player has.
"""

from typing import NamedTuple

from foundation.chunks import in_chunks
from leaderboards.models import ImportRun, Player
from leaderboards.services.imports.chunk_results import lines_of
from leaderboards.services.imports.players import read_all
from leaderboards.services.players.profiles import PROFILE_FIELDS

FIRST = 20  # rows that are told
ASKED_AT_ONCE = 500


class Changes(NamedTuple):
    """The first rows that change somebody whom there is (number, id, what is new by field), how many rows would empty
    a field that is not empty, and the numbers of the first of those."""

    first: list[tuple[int, str, dict[str, str]]]
    emptying: int
    emptied_in: list[int]


def preview(run: ImportRun) -> Changes:
    """What the rows that can be taken change, in the order of the file."""
    first: list[tuple[int, str, dict[str, str]]] = []
    emptied_in: list[int] = []
    emptying = 0
    now: dict[str, dict[str, str]] = {}
    for chunk in run.chunks.order_by("nth"):
        rows, _refused = read_all(lines_of(run, chunk))
        for some in in_chunks(rows, ASKED_AT_ONCE):
            now |= _profiles({name for _, name, _ in some} - now.keys())
            for number, name, profile in some:
                new = {field: text for field, text in profile.items() if name in now and now[name][field] != text}
                if new and len(first) < FIRST:
                    first.append((number, name, new))
                if not all(new.values()):
                    emptying += 1
                    emptied_in = [*emptied_in, number][:FIRST]
                now.setdefault(name, dict.fromkeys(PROFILE_FIELDS, "")).update(profile)
    return Changes(first, emptying, emptied_in)


def _profiles(names: set[str]) -> dict[str, dict[str, str]]:
    rows = Player.objects.filter(external_id__in=names).values_list("external_id", *PROFILE_FIELDS)
    return {name: dict(zip(PROFILE_FIELDS, texts, strict=True)) for name, *texts in rows}
