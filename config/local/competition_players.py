"""What the simulated players do in competitions: those of the demo, and any that somebody makes on a board they know.
They play, and like what is said there.

Standard library only. Anybody who has not joined is asked in when their first score is refused for that, but for the
first player: that is the person who tries the demo, and joins for themselves.
"""

import random
import uuid
from collections.abc import Callable
from typing import Any, Protocol
from urllib.parse import quote

RACERS = 24  # how many of the players take part
STATES = ("running", "frozen")
LIKES_A_TICK = 0.3  # how likely it is that somebody likes a comment, or does no more, in a tick
TAKES_BACK = 0.25

# How one game ends on each board that counts in competitions. The names are those in boards.json.
GAMES: dict[str, Callable[[random.Random], dict[str, Any]]] = {
    "Workout": lambda dice: {"points": dice.randint(1, 10)},
}


class Api(Protocol):
    """The public API; None if there was no answer, or a refusal."""

    def call(self, method: str, path: str, body: object = None) -> dict[str, Any] | None: ...


class Races:
    """The competitions that run now, by number, each with its board's name."""

    def __init__(self, api: Api, players: list[str]) -> None:
        self._api, self._racers, self._person = api, set(players[:RACERS]), players[0]
        self._running: dict[int, str] = {}
        self._asked: set[tuple[int, str]] = set()

    def look(self) -> None:
        """Find those that run. Without an answer, the known ones go on."""
        boards = self._api.call("GET", "/boards")
        found = [self._api.call("GET", f"/competitions?state={state}") for state in STATES]
        if boards is None or None in found:
            return
        known = {row["seq"]: row["name"] for row in boards["rows"] if row["name"] in GAMES}
        rows = [row for answer in found if answer for row in answer["rows"]]
        self._running = {row["id"]: known[row["board"]] for row in rows if row["board"] in known}

    def entries(self, playing: list[str], dice: random.Random) -> list[dict[str, Any]]:
        """A game for each of these players in each competition."""
        return [
            {"competition": number, "player": player, "id": f"demo-{uuid.uuid4()}", **GAMES[board](dice)}
            for number, board in self._running.items()
            for player in playing
            if player in self._racers
        ]

    def like(self, playing: list[str], dice: random.Random) -> None:
        """Now and then one of these players likes a comment on a competition, or takes their like back."""
        racers = [player for player in playing if player in self._racers and player != self._person]
        if not racers or not self._running or dice.random() >= LIKES_A_TICK:
            return
        said = self._api.call("GET", f"/competitions/{dice.choice(list(self._running))}/comments")
        player = dice.choice(racers)
        others = [row["id"] for row in (said or {"rows": []})["rows"] if row["player"] != player]
        if others:
            method = "DELETE" if dice.random() < TAKES_BACK else "PUT"
            self._api.call(method, f"/likes/comment/{dice.choice(others)}/{quote(player)}")

    def ask_in(self, results: list[dict[str, Any]]) -> None:
        """Let those who have not joined do so; once, for they may be refused."""
        for result in results:
            if result.get("code") != "not_joined" or result["player"] == self._person:
                continue
            number, player = result["competition"], result["player"]
            if (number, player) not in self._asked:
                self._asked.add((number, player))
                self._api.call("PUT", f"/competitions/{number}/players/{quote(player)}")
