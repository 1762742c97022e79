"""Simulated players: what a game server would send, every second, through the public API with a service key.

Standard library only, and nothing of the product: whatever works here works for anybody's game server.
A batch that got no answer is sent again with the same ids, which counts it once. For competitions see races.py.
"""

import json
import os
import random
import sys
import time
import urllib.error
import urllib.request
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

from config.local.competition_players import Races

TICK_SECONDS = 1.0
EVERYBODY_WITHIN_TICKS = 4  # so that any row's points change within five seconds
LOOK_EVERY_TICKS = 10  # which competitions run
MOST_ENTRIES = 1000

NAMES = (
    "Robin", "Mina", "José", "민준", "Søren", "Aiko", "Zoë", "서연", "Ngozi", "Łukasz", "Amélie", "Dae-jung",
    "Priya", "Tomás", "하윤", "Freya", "Omar", "Chloé", "Bjørn", "지우", "Lwazi", "Inés", "Yuki", "Noor",
    "Linnéa", "Mateo", "도윤", "Zuzanna", "Kofi", "Ayşe", "Maja", "Thiago", "수아", "Liam", "Nia", "Haruto",
    "Elif", "Oskar", "Valentina", "Jürgen",
)  # fmt: skip  # as a table

COUNTRIES = (
    "NL", "KR", "ES", "KR", "DK", "JP", "DE", "KR", "NG", "PL", "FR", "KR",
    "IN", "PT", "KR", "SE", "EG", "FR", "NO", "KR", "ZA", "ES", "JP", "",
    "SE", "AR", "KR", "PL", "GH", "TR", "NO", "BR", "KR", "IE", "KE", "JP", "TR", "FI", "CO", "DE",
)  # fmt: skip  # as a table

Play = Callable[[random.Random], dict[str, Any]]

# How one game on each of the demo's boards ends. The names are those in boards.json.
GAMES: dict[str, Play] = {
    "Weekly wins": lambda dice: {"points": dice.randint(1, 30)},
    "Speed run": lambda dice: {"points": round(dice.triangular(61_000, 240_000, 110_000))},
    "Raid": lambda dice: {"fields": {"stage": dice.randint(1, 32000), "members": dice.randint(1, 250)}},
    "Golf": lambda dice: {"points": round(dice.gauss(84, 6))},
    "All time": lambda dice: {"points": dice.randint(1, 5)},
}


class Api:
    """The public API with one key. `call` returns what was answered, or None if nobody is there to answer."""

    def __init__(self, site: str, key: str) -> None:
        self._site = site
        self._headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}

    def call(self, method: str, path: str, body: object = None) -> dict[str, Any] | None:
        content = None if body is None else json.dumps(body).encode()
        url = f"{self._site}/api/v1{path}"
        request = urllib.request.Request(url, content, self._headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=5) as answer:
                text = answer.read()
                return dict(json.loads(text)) if text else {}
        except urllib.error.HTTPError as error:
            complain(f"{method} {path}: {error.code} {error.read()[:300]!r}")
        except (OSError, ValueError) as error:
            complain(f"{method} {path}: {error}")
        return None


def complain(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def roster(count: int) -> dict[str, str]:
    """Ids and names. The first is the one whose login the demo prints."""
    players = {"robin": NAMES[0]}
    for number in range(2, count + 1):
        name = NAMES[(number - 1) % len(NAMES)]
        players[f"player-{number:02d}"] = name if number <= len(NAMES) else f"{name} {number}"
    return players


def turns(players: list[str], dice: random.Random) -> Iterator[list[str]]:
    """Who plays in each tick: everybody once in a few, in an order that changes."""
    size = -(-len(players) // EVERYBODY_WITHIN_TICKS)
    while True:
        dice.shuffle(players)
        for first in range(0, len(players), size):
            yield players[first : first + size]


def batch(playing: list[str], boards: dict[str, int], dice: random.Random) -> list[dict[str, Any]]:
    """Everybody in this tick plays the first board; now and then somebody plays another."""
    first, *others = boards
    entries = [entry(boards, first, player, dice) for player in playing]
    entries += [entry(boards, name, dice.choice(playing), dice) for name in others if dice.random() < 0.5]
    return entries[:MOST_ENTRIES]


def entry(boards: dict[str, int], name: str, player: str, dice: random.Random) -> dict[str, Any]:
    return {"board": boards[name], "player": player, "id": f"demo-{uuid.uuid4()}", **GAMES[name](dice)}


def find_boards(api: Api) -> dict[str, int]:
    """The demo's boards that exist, in the order of GAMES."""
    while True:
        found = api.call("GET", "/boards")
        known = {row["name"]: row["seq"] for row in found["rows"]} if found else {}
        if boards := {name: known[name] for name in GAMES if name in known}:
            return boards
        time.sleep(TICK_SECONDS)


def introduce(api: Api, players: dict[str, str]) -> None:
    for nth, (player, name) in enumerate(players.items()):
        said = {"name": name, "country": COUNTRIES[nth % len(COUNTRIES)]}
        api.call("PUT", f"/players/{quote(player)}", said)


def send(api: Api, entries: list[dict[str, Any]]) -> list[dict[str, Any]] | None:
    """What became of each; None if they must be sent again."""
    answer = api.call("POST", "/scores", {"entries": entries})
    return None if answer is None else list(answer["results"])


def play(api: Api, entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """One tick. Without an answer, the same entries again until there is one."""
    while True:
        begun = time.monotonic()
        results = send(api, entries)
        time.sleep(max(0.0, TICK_SECONDS - (time.monotonic() - begun)))
        if results is not None:
            return results


def mention(results: list[dict[str, Any]]) -> None:
    """Who has not joined a competition is no trouble."""
    codes = {result["code"] for result in results if result["status"] == "rejected"}
    for code in codes - {"not_joined"}:
        complain(f"some entries were rejected: {code}")


def main() -> None:
    dice = random.Random()
    key = Path(os.environ["DATA_DIR"], "service-key").read_text().strip()
    api = Api(f"http://127.0.0.1:{os.environ['PORT']}", key)
    players = roster(int(os.environ["DEMO_PLAYERS"]))
    boards = find_boards(api)
    ids = list(players)
    races = Races(api, ids)
    for start in range(0, len(ids), 100):
        send(api, [entry(boards, name, player, dice) for name in boards for player in ids[start : start + 100]])
    introduce(api, players)
    for tick, playing in enumerate(turns(ids, dice)):
        if tick % LOOK_EVERY_TICKS == 0:
            races.look()
        results = play(api, [*races.entries(playing, dice), *batch(playing, boards, dice)][:MOST_ENTRIES])
        races.ask_in(results)
        races.like(playing, dice)
        mention(results)


if __name__ == "__main__":
    main()
