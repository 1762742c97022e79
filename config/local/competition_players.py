"""Simulated players in competitions: they play in every competition on a board they know, and like comments.

Standard library only. Players join when their first score is rejected with ``not_joined``. The first player never
joins by itself: it belongs to the person who tries the demo.
"""

import random
import uuid
from collections.abc import Callable, Sequence
from typing import Any, Protocol
from urllib.parse import quote

from config.local import strength

RACERS = 24  # how many of the players take part
STATES = ("running", "frozen")
LIKE_PROBABILITY = 0.3  # for each tick
UNLIKE_SHARE = 0.25  # of these likes

# How one game ends on each board that counts in competitions. The names are those in boards.json.
GAMES: dict[str, Callable[[random.Random], dict[str, Any]]] = {
    "Workout": lambda dice: {"points": dice.randint(1, 10)},
}


def racers_by_strength(racers: Sequence[str]) -> dict[str, int]:
    """Return the place of each by strength. The first player, whose login the demo prints, is the strongest."""
    first, *others = racers
    return {first: 0} | {player: place + 1 for player, place in strength.places(others, "competitions").items()}


class Api(Protocol):
    """The public API. ``call`` returns None without an answer or after a refusal."""

    def call(self, method: str, path: str, body: object = None) -> dict[str, Any] | None: ...


class Races:
    """The running competitions, by number, each with the name of its board."""

    def __init__(self, api: Api, players: list[str]) -> None:
        self._api, self._racers, self._person = api, set(players[:RACERS]), players[0]
        self._places = racers_by_strength(players[:RACERS])
        self._running: dict[int, str] = {}
        self._joined: set[tuple[int, str]] = set()

    def refresh(self) -> None:
        """Refresh the running competitions; without an answer, keep the known ones."""
        boards = self._api.call("GET", "/boards")
        answers = [self._api.call("GET", f"/competitions?state={state}") for state in STATES]
        if boards is None or None in answers:
            return
        known = {row["seq"]: row["name"] for row in boards["rows"] if row["name"] in GAMES}
        rows = [row for answer in answers if answer for row in answer["rows"]]
        self._running = {row["id"]: known[row["board"]] for row in rows if row["board"] in known}

    def entries(self, playing: list[str], dice: random.Random) -> list[dict[str, Any]]:
        """Return scores of these players in each competition; who is stronger scores more often."""
        return [
            {"competition": number, "player": player, "id": f"demo-{uuid.uuid4()}", **GAMES[board](dice)}
            for number, board in self._running.items()
            for player in playing
            if player in self._racers and dice.random() < strength.share(self._places[player])
        ]

    def like(self, playing: list[str], dice: random.Random) -> None:
        """Sometimes let one of these players like a comment on a competition, or remove their like."""
        racers = [player for player in playing if player in self._racers and player != self._person]
        if not racers or not self._running or dice.random() >= LIKE_PROBABILITY:
            return
        comments = self._api.call("GET", f"/competitions/{dice.choice(list(self._running))}/comments")
        player = dice.choice(racers)
        others = [row["id"] for row in (comments or {"rows": []})["rows"] if row["player"] != player]
        if others:
            method = "DELETE" if dice.random() < UNLIKE_SHARE else "PUT"
            self._api.call(method, f"/likes/comment/{dice.choice(others)}/{quote(player)}")

    def join_rejected(self, results: list[dict[str, Any]]) -> None:
        """Let players join whose scores were rejected with ``not_joined``. Try once, because joining may be refused."""
        for result in results:
            if result.get("code") != "not_joined" or result["player"] == self._person:
                continue
            number, player = result["competition"], result["player"]
            if (number, player) not in self._joined:
                self._joined.add((number, player))
                self._api.call("PUT", f"/competitions/{number}/players/{quote(player)}")
