"""Simulated players: send what a game server would send, every second, through the public API with a service key.

Standard library only, without code of the product, so that the same calls work for any game server. A batch without
an answer is sent again with the same ids, so it counts once. For competitions see competition_players.py.
"""

import json
import math
import os
import random
import sys
import time
import urllib.error
import urllib.request
import uuid
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

from config.local import strength
from config.local.competition_players import Races

TICK_SECONDS = 1.0
TICKS_PER_ROUND = 4  # all players may play once per round: the strongest on the first board do
REFRESH_EVERY_TICKS = 10  # how often the running competitions are read
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

Play = Callable[[random.Random, int], dict[str, Any]]


def run_time(dice: random.Random, place: int) -> int:
    """Milliseconds of a run of the player with this place by strength; so are the next two."""
    return round(61_180 + 700 * math.pow(place, 1.08) + dice.expovariate(1 / 4000))


def strokes(dice: random.Random, place: int) -> int:
    """Strokes of a round of golf: whole numbers, so that some are equal."""
    return round(65 + place / 2 + dice.expovariate(1 / 5))


def stage(dice: random.Random, place: int) -> int:
    """How far a raid comes."""
    return max(1, round(31_990 - 240 * math.pow(place, 1.2) - dice.expovariate(1 / 900)))


# A random result of one game on each of the demo's boards. The names are those in boards.json.
GAMES: dict[str, Play] = {
    "Weekly wins": lambda dice, _place: {"points": dice.randint(1, 30)},
    "Speed run": lambda dice, place: {"points": run_time(dice, min(place, 60))},
    "Raid": lambda dice, place: {"fields": {"stage": stage(dice, place), "members": dice.randint(1, 250)}},
    "Golf": lambda dice, place: {"points": strokes(dice, min(place, 60))},
    "All time": lambda dice, _place: {"points": dice.randint(1, 5)},
}
ADDING = {"Weekly wins", "All time"}  # boards that add points up: who is stronger plays more often
Places = Mapping[str, Mapping[str, int]]  # by board and player


class Api:
    """The public API with one key. `call` returns the answer, or None without an answer or after a refusal."""

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
    """Return the names by id. The first player is the one whose login the demo prints."""
    players = {"robin": NAMES[0]}
    for number in range(2, count + 1):
        name = NAMES[(number - 1) % len(NAMES)]
        players[f"player-{number:02d}"] = name if number <= len(NAMES) else f"{name} {number}"
    return players


def turns(players: list[str], dice: random.Random) -> Iterator[list[str]]:
    """Yield the players of each tick. All play once per round, in a new random order."""
    size = -(-len(players) // TICKS_PER_ROUND)
    while True:
        dice.shuffle(players)
        for first in range(0, len(players), size):
            yield players[first : first + size]


def places_of(players: list[str]) -> Places:
    """Return the places of the players by strength on each board."""
    return {name: strength.places(players, name) for name in GAMES}


def batch(playing: list[str], boards: dict[str, int], places: Places, dice: random.Random) -> list[dict[str, Any]]:
    """Return the entries of a tick: of the players on the first board, and sometimes of one on another board."""
    first, *others = boards
    chosen = [(first, player) for player in playing]
    chosen += [(name, dice.choice(playing)) for name in others if dice.random() < 0.5]
    entries = [
        entry(boards, name, player, places, dice)
        for name, player in chosen
        if name not in ADDING or dice.random() < strength.share(places[name][player])
    ]
    return entries[:MOST_ENTRIES]


def entry(boards: dict[str, int], name: str, player: str, places: Places, dice: random.Random) -> dict[str, Any]:
    game = GAMES[name](dice, places[name][player])
    return {"board": boards[name], "player": player, "id": f"demo-{uuid.uuid4()}", **game}


def find_boards(api: Api) -> dict[str, int]:
    """Wait for the demo's boards and return their numbers by name, in the order of GAMES."""
    while True:
        answer = api.call("GET", "/boards")
        known = {row["name"]: row["seq"] for row in answer["rows"]} if answer else {}
        if boards := {name: known[name] for name in GAMES if name in known}:
            return boards
        time.sleep(TICK_SECONDS)


def introduce(api: Api, players: dict[str, str]) -> None:
    for nth, (player, name) in enumerate(players.items()):
        profile = {"name": name, "country": COUNTRIES[nth % len(COUNTRIES)]}
        api.call("PUT", f"/players/{quote(player)}", profile)


def send(api: Api, entries: list[dict[str, Any]]) -> list[dict[str, Any]] | None:
    """Return the result of each entry; None if they must be sent again."""
    answer = api.call("POST", "/scores", {"entries": entries})
    return None if answer is None else list(answer["results"])


def play(api: Api, entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Play one tick: send the entries until there is an answer."""
    while True:
        started_at = time.monotonic()
        results = send(api, entries)
        time.sleep(max(0.0, TICK_SECONDS - (time.monotonic() - started_at)))
        if results is not None:
            return results


def log_rejections(results: list[dict[str, Any]]) -> None:
    """Log why entries were rejected, except for players who have not joined a competition."""
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
    places = places_of(ids)
    races = Races(api, ids)
    for start in range(0, len(ids), 100):
        send(api, [entry(boards, name, player, places, dice) for name in boards for player in ids[start : start + 100]])
    introduce(api, players)
    for tick, playing in enumerate(turns(ids, dice)):
        if tick % REFRESH_EVERY_TICKS == 0:
            races.refresh()
        results = play(api, [*races.entries(playing, dice), *batch(playing, boards, places, dice)][:MOST_ENTRIES])
        races.join_rejected(results)
        races.like(playing, dice)
        log_rejections(results)


if __name__ == "__main__":
    main()
