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


def test_whoever_has_not_joined_is_asked_in_once_but_for_the_person() -> None:
    site = Site()
    races = Races(site, PLAYERS)

    races.ask_in(REFUSED)
    races.ask_in(REFUSED)

    assert site.asked == [("PUT", "/competitions/7/players/mina")]
