"""Whatever is wrong with an entry is told by a code, for that entry alone: its good neighbours are applied.

What a player, a time or a number must look like in detail is held by the tests of the core.
"""

import json
import re

import pytest
from django.test.utils import override_settings

from leaderboards.models import Player, Standing
from tests.leaderboards.api.conftest import Caller, Make, problem

RAID = [{"name": "stage", "max": 32750, "order": "desc"}, {"name": "members", "bits": 8, "order": "asc"}]
DEEP = "[" * 200 + "]" * 200

# JSON texts by the code of their refusal; BOARD, GOLF and RAID stand for boards.
POINTS = {
    "bad_points": ('"NaN"', '""', '"١٥٠"', "true", "null", "[1]", DEEP, "1.5", "1.00000000000000000001", "1e-400"),
    "out_of_range": ("9007199254740993", "9" * 5000, "1e400", '"1e400"', "1e99999999999", "2147483648", "-1"),
}
PLAYERS = ('""', f'"{"x" * 65}"', '"e\\u0000ve"', '"\\ud800"', '"e/ve"', '".."', '"eve "', '"e\\u0301ve"', "7", "null")
FIELDS = {
    "bad_points": ("[1, 2]", '{"stage": true, "members": 2}'),
    "out_of_range": ('{"stage": 1, "members": 256}', '{"stage": -1, "members": 2}'),
    "bad_entry": ('{"stage": 1}', '{"stage": 1, "members": 2, "luck": 3}', '{"stage": 1, "stage": 2, "members": 2}'),
}
BESIDE_PLAYER_AND_POINTS = {
    "bad_entry": (
        *('"board": BOARD, "score": 5', '"board": BOARD, "\\ud800": 5', '"board": BOARD, "points": 2'),
        *('"board": BOARD, "fields": {}', '"board": BOARD, "competition": 1', '"board": RAID', '"id": "a"'),
        *('"board": "BOARD"', '"board": true', '"board": 0'),
    ),
    "unknown_board": ('"board": 999999', '"board": 9223372036854775807'),
    "unknown_competition": ('"competition": 1',),
    "in_the_future": ('"board": BOARD, "at": "2999-01-01T00:00:00Z"',),
    "period_closed": ('"board": BOARD, "at": "2020-01-01T00:00:00Z"',),
    "bad_time": ('"board": BOARD, "at": "2026-11-20"', '"board": BOARD, "at": 1700000000'),
    "bad_id": ('"board": BOARD, "id": ""', f'"board": BOARD, "id": "{"x" * 129}"', '"board": BOARD, "id": 7'),
}
WHOLE = {
    "bad_entry": (
        *("{}", '{"board": BOARD, "points": 5}', '{"board": BOARD, "player": "eve"}'),
        '{"board": BOARD, "player": "eve", "fields": {"stage": 1}}',
    ),
    "bad_points": ('{"board": GOLF, "player": "eve", "points": "12.345"}',),
}


def bad(template: str, texts: dict[str, tuple[str, ...]]) -> list[tuple[str, str]]:
    return [(template.replace("TEXT", text), code) for code in texts for text in texts[code]]


BAD_ENTRIES = [
    *bad('{"board": BOARD, "player": "eve", "points": TEXT}', POINTS),
    *bad('{"board": BOARD, "player": TEXT, "points": 5}', {"bad_player": PLAYERS}),
    *bad('{"board": RAID, "player": "eve", "fields": TEXT}', FIELDS),
    *bad('{"player": "eve", "points": 5, TEXT}', BESIDE_PLAYER_AND_POINTS),
    *bad("TEXT", WHOLE),
]


def test_every_bad_entry_is_refused_by_its_code_and_every_neighbour_applied(make_board: Make, game: Caller) -> None:
    boards = {
        "BOARD": make_board("Wins"),
        "GOLF": make_board("Golf", decimals=2, minimum="-10", order="asc"),
        "RAID": make_board("Raid", criteria=RAID, period="month"),
    }
    entries = []
    for nth, (text, _) in enumerate(BAD_ENTRIES):
        entries += [text, f'{{"board": BOARD, "player": "neighbour-{nth}", "points": {nth}}}']
    body = re.sub("BOARD|GOLF|RAID", lambda match: str(boards[match[0]]), '{"entries": [' + ", ".join(entries) + "]}")

    response = game.send("POST", "/scores", body)

    assert response.status_code == 200, response.content
    answer = response.json()
    refused = answer["results"][::2]
    told = [(text, each.get("code")) for (text, _), each in zip(BAD_ENTRIES, refused, strict=True)]
    assert told == BAD_ENTRIES
    assert {each["status"] for each in answer["results"][1::2]} == {"updated"}
    assert (answer["accepted"], answer["rejected"]) == (len(BAD_ENTRIES), len(BAD_ENTRIES))
    assert game.get(f"/boards/{boards['BOARD']}/standings").json()["total"] == len(BAD_ENTRIES)
    assert not Standing.objects.filter(player__external_id__contains="eve").exists()
    assert {each["status"] for each in refused} == {"rejected"}
    for each in refused:
        assert each["detail"].endswith("."), each
        assert set(each) <= {"status", "player", "board", "competition", "code", "detail"}, each
        assert None not in each.values(), each
        json.dumps(each, ensure_ascii=False).encode()  # halves of characters would fail here


BAD_BODIES = {
    (400, "malformed_body"): ("", "{", '{"entries": [{"points": NaN}]}', '{"entries": ' + "[" * 10**5),
    (422, "invalid_request"): (
        *("[]", "null", '"entries"', "{}", '{"entries": {}}', '{"entries": []}', '{"entries": [ONE], "extra": 1}'),
        *('{"entries": [ONE], "entries": [ONE]}', '{"entries": [ONE, null]}', '{"entries": [ONE, []]}'),
    ),
}


def test_a_body_of_another_shape_is_refused_whole(make_board: Make, game: Caller) -> None:
    one = json.dumps({"board": make_board(), "player": "a", "points": 1})

    for (status, code), bodies in BAD_BODIES.items():
        for body in bodies:
            problem(game.send("POST", "/scores", body.replace("ONE", one)), status, code)
    assert not Standing.objects.exists()


def test_a_thousand_entries_and_a_mebibyte_are_taken_and_nothing_beyond(make_board: Make, game: Caller) -> None:
    board = make_board(storage="sql")
    entries = [{"board": board, "player": f"p{nth}", "points": nth} for nth in range(1001)]
    small = json.dumps({"entries": entries[:1]})

    too_many = game.send("POST", "/scores", {"entries": entries})
    enough = game.submit(*entries[:1000])

    assert problem(too_many, 422, "invalid_request")["errors"][0]["pointer"] == "#/entries"
    assert enough["accepted"] == 1000
    assert game.send("POST", "/scores", small.ljust(1024 * 1024)).status_code == 200
    for size in (1024 * 1024 + 1, 2 * 1024 * 1024):
        problem(game.send("POST", "/scores", small.ljust(size)), 413, "body_too_large")


@override_settings(DATA_UPLOAD_MAX_MEMORY_SIZE=1000)
def test_a_project_that_takes_less_refuses_as_the_api_does(make_board: Make, game: Caller) -> None:
    board = make_board(storage="sql")
    small = json.dumps({"entries": [{"board": board, "player": "ann", "points": 1}]})

    told = problem(game.send("POST", "/scores", small.ljust(1001)), 413, "body_too_large")

    assert "at most 1,000 are taken" in told["detail"]
    assert game.send("POST", "/scores", small.ljust(1000)).status_code == 200


@override_settings(DATA_UPLOAD_MAX_MEMORY_SIZE=None)
def test_a_project_that_bounds_no_bodies_has_the_bound_of_the_api(game: Caller) -> None:
    problem(game.send("POST", "/scores", "{}".ljust(1024 * 1024 + 1)), 413, "body_too_large")


FORM, TEXT, XML = "application/x-www-form-urlencoded", "text/plain;charset=UTF-8", "application/xml"


@pytest.mark.parametrize("kind", [FORM, "multipart/form-data; boundary=b", TEXT, XML, "application/jsonp", ""])
def test_a_body_of_another_kind_is_refused_whole(make_board: Make, game: Caller, kind: str) -> None:
    one = {"entries": [{"board": make_board(), "player": "eve", "points": 1}]}
    sent = [("POST", "/scores", one), ("PUT", "/players/eve", {"name": "Eve"})]

    for method, path, body in sent:
        told = problem(game.send(method, path, body, Content_Type=kind), 415, "unsupported_media_type")
        assert "`Content-Type: application/json`" in told["detail"]
    assert not Player.objects.exists()


@pytest.mark.parametrize(
    "kind", ["application/json", "application/json; charset=utf-8", "Application/JSON;charset=UTF-8"]
)
def test_json_is_taken_however_its_kind_is_spelled(make_board: Make, game: Caller, kind: str) -> None:
    one = {"entries": [{"board": make_board(), "player": "ann", "points": 1}]}

    assert game.send("POST", "/scores", one, Content_Type=kind).json()["accepted"] == 1
