"""A published result as bytes: where its hash stands and what it covers, and one player renamed in it."""

import hashlib
import json

from hypothesis import given
from hypothesis import strategies as st

from competitions.core.results import CLOSING, ContentHash, head_of, joined, opening, with_digits, with_player_renamed

TEXTS = st.text(st.characters(codec="utf-8"), max_size=12)


def as_json(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def row(player: str, name: str) -> dict[str, object]:
    return {"rank": 1, "player": player, "name": name, "points": 3}


def test_the_document_is_json_that_begins_with_the_hash_of_all_its_other_bytes() -> None:
    unsigned, digest = opening(b'{"revision":1,"reason":"\\",\\"rows\\":["}'), None
    digest = ContentHash(unsigned)
    parts = [*joined([[b'{"rank":1}', b'{"rank":2}'], [b'{"rank":3}']]), CLOSING]
    for part in parts:
        digest.add(part)

    whole = with_digits(unsigned, digest.of_document) + b"".join(parts)

    assert json.loads(whole) == {
        "content_hash": digest.of_document,
        "revision": 1,
        "reason": '","rows":[',
        "rows": [{"rank": 1}, {"rank": 2}, {"rank": 3}],
    }
    assert hashlib.sha256(whole[:17] + whole[81:]).hexdigest() == digest.of_document
    assert head_of(with_digits(unsigned, digest.of_document)) == b'{"revision":1,"reason":"\\",\\"rows\\":["}'


def test_two_documents_with_the_same_rows_and_another_head_have_one_hash_of_rows_and_two_of_the_whole() -> None:
    one, other = (ContentHash(opening(head)) for head in (b'{"revision":1}', b'{"revision":2}'))
    for each in (one, other):
        each.add(b'{"rank":1}')

    assert one.of_rows == other.of_rows
    assert one.of_document != other.of_document
    other.add(CLOSING)
    assert one.of_rows != other.of_rows


def test_without_rows_it_is_json_too() -> None:
    assert json.loads(with_digits(opening(b'{"revision":1}'), "0" * 64) + CLOSING)["rows"] == []


@given(st.lists(st.tuples(TEXTS, TEXTS), unique_by=lambda each: each[0], min_size=1, max_size=5), TEXTS)
def test_one_player_is_renamed_and_no_other_whatever_they_call_themselves(
    players: list[tuple[str, str]], quoted: str
) -> None:
    old, *others = players
    trap = ("trap", f'"player":{as_json(old[0]).decode()},"name":"{quoted}"')
    everybody = [old, *others, *([trap] if trap[0] not in dict(players) else [])]
    part = b",".join(as_json(row(*each)) for each in everybody)

    now = with_player_renamed(part, as_json(old[0]), as_json("erased-1"), as_json("\\1"))

    assert json.loads(b"[" + now + b"]") == [row("erased-1", "\\1"), *(row(*each) for each in everybody[1:])]
