"""Preview of an import of players: what it would change. Nothing is written.

The first changing rows are stored with the player's id and the new texts; the old texts are read when the preview is
shown. The trap: an empty cell empties the player's field.
"""

from typing import NamedTuple

from foundation.chunks import in_chunks
from leaderboards.models import ImportRun, Player
from leaderboards.services.imports.chunk_results import lines_of
from leaderboards.services.imports.players import read_all
from leaderboards.services.players.profiles import PROFILE_FIELDS

MAX_ROWS_SHOWN = 20
ROWS_PER_QUERY = 500


class Changes(NamedTuple):
    """The first rows that change an existing player (number, id, new texts by field), how many rows would empty a
    field, and the numbers of the first of those."""

    first: list[tuple[int, str, dict[str, str]]]
    emptying: int
    emptied_in: list[int]


def preview(run: ImportRun) -> Changes:
    """What the valid rows change, in the order of the file."""
    first: list[tuple[int, str, dict[str, str]]] = []
    emptied_in: list[int] = []
    emptying = 0
    now: dict[str, dict[str, str]] = {}
    for chunk in run.chunks.order_by("nth"):
        rows, _refused = read_all(lines_of(run, chunk))
        for batch in in_chunks(rows, ROWS_PER_QUERY):
            now |= _profiles({name for _, name, _ in batch} - now.keys())
            for number, name, profile in batch:
                new = {field: text for field, text in profile.items() if name in now and now[name][field] != text}
                if new and len(first) < MAX_ROWS_SHOWN:
                    first.append((number, name, new))
                if not all(new.values()):
                    emptying += 1
                    emptied_in = [*emptied_in, number][:MAX_ROWS_SHOWN]
                now.setdefault(name, dict.fromkeys(PROFILE_FIELDS, "")).update(profile)
    return Changes(first, emptying, emptied_in)


def _profiles(names: set[str]) -> dict[str, dict[str, str]]:
    rows = Player.objects.filter(external_id__in=names).values_list("external_id", *PROFILE_FIELDS)
    return {name: dict(zip(PROFILE_FIELDS, texts, strict=True)) for name, *texts in rows}
