"""What the simulated players send."""

import itertools
import random
from typing import Any

import pytest

from config.local import players

BOARDS = {name: seq for seq, name in enumerate(players.GAMES, start=1)}


class Answers:
    """An API that gives prepared answers and remembers what it was sent."""

    def __init__(self, *answers: dict[str, Any] | None) -> None:
        self._answers = list(answers)
        self.sent: list[Any] = []

    def call(self, method: str, path: str, body: object = None) -> dict[str, Any] | None:
        self.sent.append(body)
        return self._answers.pop(0)


def test_everybody_plays_within_four_ticks() -> None:
    roster = list(players.roster(41))

    ticks = list(itertools.islice(players.turns(list(roster), random.Random(1)), 4))

    assert sorted(player for playing in ticks for player in playing) == sorted(roster)


def test_whoever_plays_scores_on_the_first_board_and_no_two_entries_share_an_id() -> None:
    playing = list(players.roster(500))

    entries = players.batch(playing, BOARDS, random.Random(1))

    assert [entry["player"] for entry in entries if entry["board"] == 1] == playing
    assert len({entry["id"] for entry in entries}) == len(entries)


def test_the_first_player_is_the_one_with_a_login_and_names_beyond_the_list_are_told_apart() -> None:
    roster = players.roster(200)

    assert next(iter(roster)) == "robin"
    assert len(set(roster.values())) == 200


def test_a_batch_without_an_answer_is_sent_again_with_the_same_ids(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(players, "TICK_SECONDS", 0.0)
    api = Answers(None, {"results": []})
    entries = players.batch(["robin"], BOARDS, random.Random(1))

    results = players.play(api, entries)  # type: ignore[arg-type]  # a stand-in

    assert results == []
    assert api.sent == [{"entries": entries}, {"entries": entries}]
