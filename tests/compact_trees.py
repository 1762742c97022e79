"""Compact families as tests look at them: the tree and the scores by number, decoded and checked in plain Python."""

import struct
from typing import Any

from leaderboards.core.keys import PeriodKeyFamily
from leaderboards.models import Part, Player

Row = tuple[float, int]  # score, number


def members_of(client: Any, part: Part, descending: bool) -> list[tuple[str, float]]:
    """Members and scores of any family, best first. A compact one has numbers, which SQL tells the ids of."""
    if not part.family.is_compact:
        cells = client.zrange(part.family.zset, 0, -1, desc=descending, withscores=True)
        return [(member.decode(), score) for member, score in cells]
    rows = rows_of(client, part.family)
    names = dict(Player.objects.filter(pk__in=[number for _, number in rows]).values_list("pk", "external_id"))
    return [(f"{number:012d}_{names[number]}", score) for score, number in (rows[::-1] if descending else rows)]


def number_of(player: str) -> int:
    """The number that SQL has given to a player."""
    return Player.objects.get(external_id=player).pk


def rows_of(client: Any, family: PeriodKeyFamily) -> list[Row]:
    """The rows in order, after a look at all that has to be so: counts, order, bounds, nodes, and scores by number."""
    fields = client.hgetall(family.zset)
    rows, seen = list[Row](), set[bytes]()
    height = fields[b"head"][0] if b"head" in fields else 0
    _walk(fields, b"", height, rows, seen)
    assert seen | {b"head"} >= fields.keys(), "no node is left over"
    assert rows == sorted(rows)
    assert {number: score for score, number in rows} == _by_number(client, family)
    return rows


def _walk(fields: dict[bytes, bytes], node: bytes, level: int, rows: list[Row], seen: set[bytes]) -> int:
    assert node not in seen
    seen.add(node)
    text, before = fields.get(node, b""), len(rows)
    if level == 0:
        assert len(text) % 13 == 0
        rows += [_row(text[at : at + 13]) for at in range(0, len(text), 13)]
        return len(rows) - before
    many = len(text) // 21
    assert many > 0
    assert len(text) == 21 * many
    for nth in range(many):
        child, (count,) = text[4 * nth : 4 * nth + 4], struct.unpack_from(">I", text, 4 * many + 4 * nth)
        start, least = len(rows), _row(text[8 * many + 13 * nth :][:13])
        assert _walk(fields, child, level - 1, rows, seen) == count > 0
        assert nth == 0 or (rows[start - 1] < least <= rows[start])
    return len(rows) - before


def _row(text: bytes) -> Row:
    return struct.unpack(">d", text[:8])[0], int.from_bytes(text[8:], "big")


def _by_number(client: Any, family: PeriodKeyFamily) -> dict[int, float]:
    found = dict[int, float]()
    for bucket, text in client.hgetall(family.members).items():
        first, many = int.from_bytes(bucket, "big") * family.per_bucket, len(text) // 10
        cells = [struct.unpack_from(">Hd", text, 10 * nth) for nth in range(many)]
        assert cells
        assert [low for low, _ in cells] == sorted({low for low, _ in cells})
        found |= {first + low: score for low, score in cells}
    return found
