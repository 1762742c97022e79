"""What the simulated players do in competitions."""

import random
from typing import Any

from config.local.races import Races

PLAYERS = ["robin", "mina", "zoe"]
BOARDS = {"rows": [{"seq": 1, "name": "Weekly wins"}, {"seq": 6, "name": "Workout"}]}
RUNNING = {"rows": [{"id": 7, "board": 6}, {"id": 8, "board": 99}]}
FROZEN = {"rows": [{"id": 9, "board": 6}]}
REFUSED = [
    {"status": "rejected", "code": "not_joined", "competition": 7, "player": "robin"},
    {"status": "rejected", "code": "not_joined", "competition": 7, "player": "mina"},
    {"status": "updated", "competition": 7, "player": "zoe"},
]


class Site:
    """Answers by address, and remembers what it was asked."""

    def __init__(self) -> None:
        self.answers: dict[str, dict[str, Any] | None] = {
            "/boards": BOARDS,
            "/competitions?state=running": RUNNING,
            "/competitions?state=frozen": FROZEN,
        }
        self.asked: list[tuple[str, str]] = []

    def call(self, method: str, path: str, body: object = None) -> dict[str, Any] | None:
        self.asked.append((method, path))
        return self.answers.get(path)


def raced(races: Races) -> list[tuple[int, str]]:
    return [(entry["competition"], entry["player"]) for entry in races.entries(PLAYERS[:2], random.Random(1))]


def test_whoever_plays_scores_in_all_that_run_on_known_boards() -> None:
    races = Races(Site(), PLAYERS)

    races.look()

    assert raced(races) == [(7, "robin"), (7, "mina"), (9, "robin"), (9, "mina")]


def test_without_an_answer_the_known_ones_go_on() -> None:
    site = Site()
    races = Races(site, PLAYERS)
    races.look()

    site.answers["/competitions?state=frozen"] = None
    races.look()

    assert (9, "mina") in raced(races)


class EveryTick(random.Random):
    """Dice by which somebody likes something in every tick, and takes nothing back."""

    def __init__(self, *rolls: float) -> None:
        super().__init__(1)
        self._rolls = list(rolls)

    def random(self) -> float:
        return self._rolls.pop(0) if self._rolls else 0.9

    def choice(self, several: Any) -> Any:
        return several[0]


def test_now_and_then_somebody_likes_what_another_said() -> None:
    site = Site()
    site.answers["/competitions/7/comments"] = {"rows": [{"id": 3, "player": "mina"}, {"id": 4, "player": "zoe"}]}
    races = Races(site, PLAYERS)
    races.look()
    site.asked.clear()

    races.like(["robin", "mina"], EveryTick(0.0, 0.9))
    races.like(["robin", "mina"], EveryTick(0.0, 0.0))
    races.like(["robin"], EveryTick(0.0, 0.9))
    races.like(["robin", "mina"], EveryTick(0.9))

    read = ("GET", "/competitions/7/comments")
    assert site.asked == [read, ("PUT", "/likes/comment/4/mina"), read, ("DELETE", "/likes/comment/4/mina")]


def test_whoever_has_not_joined_is_asked_in_once_but_for_the_person() -> None:
    site = Site()
    races = Races(site, PLAYERS)

    races.ask_in(REFUSED)
    races.ask_in(REFUSED)

    assert site.asked == [("PUT", "/competitions/7/players/mina")]
