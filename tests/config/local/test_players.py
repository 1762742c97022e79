"""What the simulated players send, and what they do in competitions."""

import itertools
import random
from typing import Any

import pytest

from config.local import players
from config.local.races import Races

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


PLAYERS = ["robin", "mina", "zoe"]
REFUSED = [
    {"status": "rejected", "code": "not_joined", "competition": 7, "player": "robin"},
    {"status": "rejected", "code": "not_joined", "competition": 7, "player": "mina"},
    {"status": "updated", "competition": 7, "player": "zoe"},
]


class Site:
    """Answers by address, and remembers what it was asked."""

    def __init__(self) -> None:
        self.answers: dict[str, dict[str, Any] | None] = {
            "/boards": {"rows": [{"seq": 1, "name": "Weekly wins"}, {"seq": 6, "name": "Workout"}]},
            "/competitions?state=running": {"rows": [{"id": 7, "board": 6}, {"id": 8, "board": 99}]},
            "/competitions?state=frozen": {"rows": [{"id": 9, "board": 6}]},
            "/competitions/7/comments": {"rows": [{"id": 3, "player": "mina"}, {"id": 4, "player": "zoe"}]},
        }
        self.asked: list[tuple[str, str]] = []

    def call(self, method: str, path: str, body: object = None) -> dict[str, Any] | None:
        self.asked.append((method, path))
        return self.answers.get(path)


@pytest.fixture
def site() -> Site:
    return Site()


@pytest.fixture
def races(site: Site) -> Races:
    """As they are after a first look."""
    made = Races(site, PLAYERS)
    made.look()
    site.asked.clear()
    return made


def test_whoever_plays_scores_in_all_that_run_on_known_boards_also_without_another_answer(
    site: Site, races: Races
) -> None:
    def raced() -> list[tuple[int, str]]:
        return [(entry["competition"], entry["player"]) for entry in races.entries(PLAYERS[:2], random.Random(1))]

    first = raced()
    site.answers["/competitions?state=frozen"] = None
    races.look()

    assert first == raced() == [(7, "robin"), (7, "mina"), (9, "robin"), (9, "mina")]


class Dice(random.Random):
    """What they roll is prepared, and of several the first is chosen."""

    def __init__(self, *rolls: float) -> None:
        super().__init__(1)
        self._rolls = list(rolls)

    def random(self) -> float:
        return self._rolls.pop(0)

    def choice(self, several: Any) -> Any:
        return several[0]


def test_now_and_then_somebody_likes_what_another_said(site: Site, races: Races) -> None:
    races.like(["robin", "mina"], Dice(0.0, 0.9))
    races.like(["robin", "mina"], Dice(0.0, 0.0))
    races.like(["robin"], Dice())
    races.like(["robin", "mina"], Dice(0.9))

    read = ("GET", "/competitions/7/comments")
    assert site.asked == [read, ("PUT", "/likes/comment/4/mina"), read, ("DELETE", "/likes/comment/4/mina")]


def test_whoever_has_not_joined_is_asked_in_once_but_for_the_person(site: Site, races: Races) -> None:
    races.ask_in(REFUSED)
    races.ask_in(REFUSED)

    assert site.asked == [("PUT", "/competitions/7/players/mina")]
