"""What the simulated players do in competitions."""

import random
from typing import Any

import pytest

from config.local.races import Races

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
