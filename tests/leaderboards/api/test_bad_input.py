"""Whatever is wrong with an entry is told by a code, for that entry alone: its good neighbours are applied."""

import json
import re

import pytest

from leaderboards.models import Standing
from tests.leaderboards.api.conftest import Caller, Make, problem

DEEP = "[" * 200 + "]" * 200

# An entry as JSON text, where BOARD, GOLF and RAID stand for boards, and the code of its refusal.
BAD_ENTRIES = {
    # points
    "NaN as a text": ('{"board": BOARD, "player": "eve", "points": "NaN"}', "bad_points"),
    "infinity as a text": ('{"board": BOARD, "player": "eve", "points": "Infinity"}', "bad_points"),
    "minus infinity as a text": ('{"board": BOARD, "player": "eve", "points": "-Infinity"}', "bad_points"),
    "infinity in short": ('{"board": BOARD, "player": "eve", "points": "inf"}', "bad_points"),
    "2^53": ('{"board": BOARD, "player": "eve", "points": 9007199254740992}', "out_of_range"),
    "2^53 + 1": ('{"board": BOARD, "player": "eve", "points": 9007199254740993}', "out_of_range"),
    "2^64": ('{"board": BOARD, "player": "eve", "points": 18446744073709551616}', "out_of_range"),
    "5,000 digits": (f'{{"board": BOARD, "player": "eve", "points": {"9" * 5000}}}', "out_of_range"),
    "1e400": ('{"board": BOARD, "player": "eve", "points": 1e400}', "out_of_range"),
    "1e400 as a text": ('{"board": BOARD, "player": "eve", "points": "1e400"}', "out_of_range"),
    "1e99999999999": ('{"board": BOARD, "player": "eve", "points": 1e99999999999}', "out_of_range"),
    "one above the maximum": ('{"board": BOARD, "player": "eve", "points": 2147483648}', "out_of_range"),
    "below the minimum": ('{"board": BOARD, "player": "eve", "points": -1}', "out_of_range"),
    "a decimal where there are none": ('{"board": BOARD, "player": "eve", "points": 1.5}', "bad_points"),
    "too many decimals": ('{"board": GOLF, "player": "eve", "points": "12.345"}', "bad_points"),
    "nearly a whole number": ('{"board": BOARD, "player": "eve", "points": 1.00000000000000000001}', "bad_points"),
    "1e-400": ('{"board": BOARD, "player": "eve", "points": 1e-400}', "bad_points"),
    "true": ('{"board": BOARD, "player": "eve", "points": true}', "bad_points"),
    "null": ('{"board": BOARD, "player": "eve", "points": null}', "bad_points"),
    "a word": ('{"board": BOARD, "player": "eve", "points": "many"}', "bad_points"),
    "no digits": ('{"board": BOARD, "player": "eve", "points": ""}', "bad_points"),
    "digits of another script": ('{"board": BOARD, "player": "eve", "points": "١٥٠"}', "bad_points"),
    "a blank around": ('{"board": BOARD, "player": "eve", "points": " 150"}', "bad_points"),
    "an underscore inside": ('{"board": BOARD, "player": "eve", "points": "1_000"}', "bad_points"),
    "hexadecimal": ('{"board": BOARD, "player": "eve", "points": "0x10"}', "bad_points"),
    "a list": ('{"board": BOARD, "player": "eve", "points": [1]}', "bad_points"),
    "deep JSON": (f'{{"board": BOARD, "player": "eve", "points": {DEEP}}}', "bad_points"),
    # fields
    "points on a board of criteria": ('{"board": RAID, "player": "eve", "points": 5}', "bad_entry"),
    "fields on a board of points": ('{"board": BOARD, "player": "eve", "fields": {"stage": 1}}', "bad_entry"),
    "a missing criterion": ('{"board": RAID, "player": "eve", "fields": {"stage": 1}}', "bad_entry"),
    "an unknown criterion": (
        '{"board": RAID, "player": "eve", "fields": {"stage": 1, "members": 2, "luck": 3}}', "bad_entry",
    ),
    "a criterion beyond its bits": (
        '{"board": RAID, "player": "eve", "fields": {"stage": 1, "members": 256}}', "out_of_range",
    ),
    "a negative criterion": (
        '{"board": RAID, "player": "eve", "fields": {"stage": -1, "members": 2}}', "out_of_range",
    ),
    "a truth for a criterion": (
        '{"board": RAID, "player": "eve", "fields": {"stage": true, "members": 2}}', "bad_points",
    ),
    "a name that stands twice": ('{"board": BOARD, "player": "eve", "points": 1, "points": 2}', "bad_entry"),
    "a criterion that stands twice": (
        '{"board": RAID, "player": "eve", "fields": {"stage": 1, "stage": 2, "members": 2}}', "bad_entry",
    ),
    "fields that are a list": ('{"board": RAID, "player": "eve", "fields": [1, 2]}', "bad_points"),
    # players
    "an empty player": ('{"board": BOARD, "player": "", "points": 5}', "bad_player"),
    "65 characters": (f'{{"board": BOARD, "player": "{"x" * 65}", "points": 5}}', "bad_player"),
    "a control character": ('{"board": BOARD, "player": "e\\u0007ve", "points": 5}', "bad_player"),
    "a zero byte": ('{"board": BOARD, "player": "e\\u0000ve", "points": 5}', "bad_player"),
    "half a character": ('{"board": BOARD, "player": "\\ud800", "points": 5}', "bad_player"),
    "a slash": ('{"board": BOARD, "player": "e/ve", "points": 5}', "bad_player"),
    "a comma": ('{"board": BOARD, "player": "e,ve", "points": 5}', "bad_player"),
    "two dots": ('{"board": BOARD, "player": "..", "points": 5}', "bad_player"),
    "a blank at the end": ('{"board": BOARD, "player": "eve ", "points": 5}', "bad_player"),
    "not composed": ('{"board": BOARD, "player": "e\\u0301ve", "points": 5}', "bad_player"),
    "a player that is a number": ('{"board": BOARD, "player": 7, "points": 5}', "bad_player"),
    "a player that is null": ('{"board": BOARD, "player": null, "points": 5}', "bad_player"),
    # the frame of an entry
    "an unknown field": ('{"board": BOARD, "player": "eve", "points": 5, "score": 5}', "bad_entry"),
    "an unknown field of half a character": (
        '{"board": BOARD, "player": "eve", "points": 5, "\\ud800": 5}', "bad_entry",
    ),
    "no player": ('{"board": BOARD, "points": 5}', "bad_entry"),
    "no points": ('{"board": BOARD, "player": "eve"}', "bad_entry"),
    "points and fields": ('{"board": BOARD, "player": "eve", "points": 5, "fields": {}}', "bad_entry"),
    "no board": ('{"player": "eve", "points": 5}', "bad_entry"),
    "a board and a competition": ('{"board": BOARD, "competition": 1, "player": "eve", "points": 5}', "bad_entry"),
    "a board as a text": ('{"board": "BOARD", "player": "eve", "points": 5}', "bad_entry"),
    "a board that is true": ('{"board": true, "player": "eve", "points": 5}', "bad_entry"),
    "a board below one": ('{"board": 0, "player": "eve", "points": 5}', "bad_entry"),
    "an empty object": ("{}", "bad_entry"),
    "an unknown board": ('{"board": 999999, "player": "eve", "points": 5}', "unknown_board"),
    "a board past all numbers": ('{"board": 9223372036854775807, "player": "eve", "points": 5}', "unknown_board"),
    "an unknown competition": ('{"competition": 1, "player": "eve", "points": 5}', "unknown_competition"),
    # times
    "in the future": (
        '{"board": BOARD, "player": "eve", "points": 5, "at": "2999-01-01T00:00:00Z"}', "in_the_future",
    ),
    "without an offset": ('{"board": BOARD, "player": "eve", "points": 5, "at": "2026-11-20T09:00:00"}', "bad_time"),
    "a date": ('{"board": BOARD, "player": "eve", "points": 5, "at": "2026-11-20"}', "bad_time"),
    "a day that is none": (
        '{"board": BOARD, "player": "eve", "points": 5, "at": "2026-02-30T09:00:00Z"}', "bad_time",
    ),
    "a number for a time": ('{"board": BOARD, "player": "eve", "points": 5, "at": 1700000000}', "bad_time"),
    "before 1970": ('{"board": BOARD, "player": "eve", "points": 5, "at": "1969-12-31T23:59:59Z"}', "bad_time"),
    "a closed period": (
        '{"board": BOARD, "player": "eve", "points": 5, "at": "2020-01-01T00:00:00Z"}', "period_closed",
    ),
    # ids
    "an empty id": ('{"board": BOARD, "player": "eve", "points": 5, "id": ""}', "bad_id"),
    "129 characters of id": (f'{{"board": BOARD, "player": "eve", "points": 5, "id": "{"x" * 129}"}}', "bad_id"),
    "an id that is a number": ('{"board": BOARD, "player": "eve", "points": 5, "id": 7}', "bad_id"),
    "an id with a zero byte": ('{"board": BOARD, "player": "eve", "points": 5, "id": "a\\u0000"}', "bad_id"),
}  # fmt: skip  # as a table

RAID = [{"name": "stage", "max": 32750, "order": "desc"}, {"name": "members", "bits": 8, "order": "asc"}]


@pytest.mark.parametrize("storage", ["hybrid", "redis", "sql"])
def test_every_bad_entry_is_refused_by_its_code_and_every_neighbour_applied(
    make_board: Make, game: Caller, storage: str
) -> None:
    boards = {
        "BOARD": make_board("Wins", storage=storage),
        "GOLF": make_board("Golf", storage=storage, decimals=2, minimum="-10", order="asc"),
        "RAID": make_board("Raid", storage=storage, criteria=RAID, period="month"),
    }
    entries = []
    for nth, (text, _) in enumerate(BAD_ENTRIES.values()):
        entries += [text, f'{{"board": BOARD, "player": "neighbour-{nth}", "points": {nth}}}']
    body = re.sub("BOARD|GOLF|RAID", lambda match: str(boards[match[0]]), '{"entries": [' + ", ".join(entries) + "]}")

    response = game.send("POST", "/scores", body)

    assert response.status_code == 200, response.content
    answer = response.json()
    told = dict(zip(BAD_ENTRIES, [each.get("code") for each in answer["results"][::2]], strict=True))
    assert told == {name: code for name, (_, code) in BAD_ENTRIES.items()}
    assert {each["status"] for each in answer["results"][1::2]} == {"updated"}
    assert (answer["accepted"], answer["rejected"]) == (len(BAD_ENTRIES), len(BAD_ENTRIES))
    assert game.get(f"/boards/{boards['BOARD']}/standings").json()["total"] == len(BAD_ENTRIES)
    if storage != "redis":
        assert not Standing.objects.filter(member__contains="eve").exists()


def test_a_refusal_says_what_was_wrong_and_sends_nothing_unreadable_back(make_board: Make, game: Caller) -> None:
    boards = {
        "BOARD": make_board("Wins"),
        "GOLF": make_board("Golf", decimals=2),
        "RAID": make_board("Raid", criteria=RAID),
    }
    text = ", ".join(text for text, _ in BAD_ENTRIES.values())
    body = re.sub("BOARD|GOLF|RAID", lambda match: str(boards[match[0]]), f'{{"entries": [{text}]}}')

    results = game.send("POST", "/scores", body).json()["results"]

    for result in results:
        assert result["status"] == "rejected"
        assert result["detail"].endswith("."), result
        assert set(result) <= {"status", "player", "board", "competition", "code", "detail"}, result
        assert None not in result.values(), result
        json.dumps(result, ensure_ascii=False).encode()  # halves of characters would fail here


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        (b"", 400, "malformed_body"),
        (b"{", 400, "malformed_body"),
        (b"\xff\xfe", 400, "malformed_body"),
        (b'{"entries": [{"board": 1, "player": "a", "points": NaN}]}', 400, "malformed_body"),
        (b'{"entries": [{"board": 1, "player": "a", "points": Infinity}]}', 400, "malformed_body"),
        (b'{"entries": [{"board": 1, "player": "a", "points": -Infinity}]}', 400, "malformed_body"),
        (b'{"entries": [{"board": 1, "player": "a", "points": 01}]}', 400, "malformed_body"),
        (b'{"entries": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", 400, "malformed_body"),
        (b"[]", 422, "invalid_request"),
        (b"null", 422, "invalid_request"),
        (b'"entries"', 422, "invalid_request"),
        (b"{}", 422, "invalid_request"),
        (b'{"entries": {}}', 422, "invalid_request"),
        (b'{"entries": []}', 422, "invalid_request"),
        (b'{"entries": [{"board": 1, "player": "a", "points": 1}], "extra": 1}', 422, "invalid_request"),
        (b'{"entries": [{"board": 1, "player": "a", "points": 1}, null]}', 422, "invalid_request"),
        (b'{"entries": [{"board": 1, "player": "a", "points": 1}, 5]}', 422, "invalid_request"),
        (b'{"entries": [{"board": 1, "player": "a", "points": 1}, []]}', 422, "invalid_request"),
    ],
)  # fmt: skip  # as a table
def test_a_body_of_another_shape_is_refused_whole(
    make_board: Make, game: Caller, body: bytes, status: int, code: str
) -> None:
    make_board()

    response = game.send("POST", "/scores", body)

    problem(response, status, code)
    assert not Standing.objects.exists()


def test_a_thousand_entries_are_taken_and_one_more_is_not(make_board: Make, game: Caller) -> None:
    board = make_board(storage="sql")
    entries = [{"board": board, "player": f"p{nth}", "points": nth} for nth in range(1001)]

    too_many = game.send("POST", "/scores", {"entries": entries})
    enough = game.submit(*entries[:1000])

    assert problem(too_many, 422, "invalid_request")["errors"][0]["pointer"] == "#/entries"
    assert enough["accepted"] == 1000


def test_a_mebibyte_is_taken_and_one_byte_more_is_not(make_board: Make, game: Caller) -> None:
    board = make_board(storage="sql")
    body = json.dumps({"entries": [{"board": board, "player": "alice", "points": 1}]})

    enough = game.send("POST", "/scores", body.ljust(1024 * 1024))
    too_much = game.send("POST", "/scores", body.ljust(1024 * 1024 + 1))

    assert enough.status_code == 200, enough.content
    problem(too_much, 413, "body_too_large")


def test_two_mebibytes_are_too_much(make_board: Make, game: Caller) -> None:
    response = game.send("POST", "/scores", b" " * 2 * 1024 * 1024)

    problem(response, 413, "body_too_large")
