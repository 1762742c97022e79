"""Who uses the site during a run, each in a thread of its own: game servers, readers, players who like, an admin.

Whatever has an unknown outcome is sent again with its id until somebody says what became of it. What was asked and
answered stands in the notes of the fault tests (tests/faults/history.py), which say at the end what must be there.
"""

import itertools
import json
import random
import threading
import time
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

from tests.faults.history import Notes
from tests.soak.line import Line
from tests.soak.prepare import ATTEMPTS, TOKEN

AGAIN = 0.2  # how many entries are sent a second time, word for word
PLAYERS = 300
GIVES_UP = 60.0  # seconds in which whatever was asked last must have an answer, after the load has ended


class Role(ABC):
    """Does its ``step`` over and over, with pauses of ``pause`` seconds on average."""

    kinds: tuple[str, ...]
    pause = 0.1

    def __init__(self, line: Line, seed: int) -> None:
        self.line, self.dice = line, random.Random(seed)
        self.over = threading.Event()
        self.error = ""
        self._gives_up_at = float("inf")
        self._thread = threading.Thread(target=self._go_on, daemon=True)

    def begin(self) -> None:
        self._thread.start()

    def end(self) -> None:
        """Ask it to end, once it knows what became of what it has asked for."""
        self._gives_up_at = time.monotonic() + GIVES_UP
        self.over.set()

    def join(self) -> None:
        self._thread.join(GIVES_UP + 30)
        assert not self._thread.is_alive(), f"{type(self).__name__} does not end"

    def _go_on(self) -> None:
        try:
            while not self.over.wait(self.dice.uniform(0, 2 * self.pause)):
                self.step()
        except Exception as error:
            self.error = repr(error)
        finally:
            self.line.close()

    def rest(self) -> None:
        """Before something is tried again."""
        assert time.monotonic() < self._gives_up_at, "nobody says what became of what was asked"
        time.sleep(0.3)

    @abstractmethod
    def step(self) -> None: ...


class Scorer(Role):
    """A game server: single entries or batches, to boards that add up, some of it twice."""

    def __init__(self, line: Line, seed: int, notes: str, boards: Mapping[str, Sequence[int]], size: int) -> None:
        super().__init__(line, seed)
        self._notes, self._name, self._size, self._boards = Notes(notes), f"s{seed}", size, boards
        self._said: dict[str, list[dict[str, Any]]] = {kind: [] for kind in boards}
        self._calls, self._ids = itertools.count(), itertools.count()
        self.kinds = tuple(boards)

    def step(self) -> None:
        """Boards of Redis alone have requests of their own, since they alone refuse while Redis is away."""
        kind = self.dice.choice(self.kinds)
        batch = [self._entry(kind) for _ in range(self.dice.randint(1, self._size))]
        while batch := self._unanswered(kind, batch):
            self.rest()

    def _entry(self, kind: str) -> dict[str, Any]:
        said = self._said[kind]
        if said and self.dice.random() < AGAIN:
            return self.dice.choice(said)
        player, points = f"p{self.dice.randrange(PLAYERS)}", self.dice.randint(1, 1000)
        entry = {"board": self.dice.choice(self._boards[kind]), "player": player, "points": points}
        said.append({**entry, "id": f"{self._name}-{next(self._ids)}"})
        del said[:-100]
        return said[-1]

    def _unanswered(self, kind: str, batch: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Send it; which entries nobody has decided."""
        answers = send(self.line, kind, batch, self._notes, next(self._calls))
        strange = [answer for answer in answers if is_decided(answer) and answer[0] == "rejected"]
        assert not strange, strange
        return [sent for sent, answer in itertools.zip_longest(batch, answers) if not is_decided(answer)]


class Racer(Role):
    """Players who join a competition and score once more than they may."""

    kinds = ("score competition", "join")

    def __init__(self, line: Line, seed: int, notes: str, competition: int, board: int) -> None:
        super().__init__(line, seed)
        self._notes, self._calls = Notes(notes), itertools.count()
        self._competition, self._board, self._nth = competition, board, itertools.count()
        self._name = f"r{seed}"
        self.took: Counter[str] = Counter()

    def step(self) -> None:
        player = f"{self._name}-{next(self._nth)}"
        path = f"/api/v1/competitions/{self._competition}/players/{player}"
        while (answer := self.line.ask("join", "PUT", path, {}, (200, 201, 409))) is None or answer.status >= 500:
            self.rest()
        for attempt in range(ATTEMPTS + 1):
            self._attempt(player, attempt)

    def _attempt(self, player: str, attempt: int) -> None:
        entry = {"board": self._board, "player": player, "points": 10**attempt, "id": f"{player}-{attempt}"}
        while True:
            sent = [{**entry, "competition": self._competition}]
            [*answers] = send(self.line, "score competition", sent, self._notes, next(self._calls)) or [None]
            if is_decided(answers[0]):
                self.took[player] += answers[0][0] != "rejected"
                assert answers[0][1] in (None, "too_many_attempts"), answers
                return
            self.rest()


def send(line: Line, kind: str, batch: Sequence[Mapping[str, Any]], notes: Notes, call: int) -> list[Any]:
    """Send entries and note their outcomes; none if no answer tells them. A competition's stand for its board's."""
    bodies = [
        {name: value for name, value in each.items() if not ("competition" in each and name == "board")}
        for each in batch
    ]
    asked = [{name: value for name, value in each.items() if name != "competition"} for each in batch]
    notes.write(call=call, began=time.monotonic(), asked={"entries": asked})
    answer = line.ask(kind, "POST", "/api/v1/scores", {"entries": bodies})
    results = _results(answer.body) if answer else []
    answers = [[each["status"], each.get("code"), each.get("period")] for each in results]
    notes.write(call=call, ended=time.monotonic(), said={"answers": answers} if answers else {})
    return answers


def _results(body: bytes) -> list[dict[str, Any]]:
    """Of a 503 of the application too; a proxy's has none."""
    try:
        return list(json.loads(body).get("results", ()))
    except ValueError:
        return []


def is_decided(answer: Sequence[Any] | None) -> bool:
    return answer is not None and answer[0] != "unknown" and answer[1] != "unavailable"


class Liker(Role):
    """One player, who likes comments and takes that back; nobody else likes in their name."""

    kinds = ("like",)

    def __init__(self, line: Line, seed: int, comments: Sequence[int]) -> None:
        super().__init__(line, seed)
        self.player, self._comments = f"liker-{seed}", comments
        self.likes: set[int] = set()

    def step(self) -> None:
        comment, liked = self.dice.choice(self._comments), self.dice.random() < 0.6
        path = f"/api/v1/likes/comment/{comment}/{self.player}"
        while (answer := self.line.ask("like", "PUT" if liked else "DELETE", path)) is None or answer.status != 200:
            assert answer is None or answer.status >= 500, answer
            self.rest()
        assert answer.json()["liked"] is liked
        (self.likes.add if liked else self.likes.discard)(comment)


class Reader(Role):
    """Pages, and lists, rows and neighbours of the API."""

    kinds = ("page", "read")
    pause = 0.05

    def __init__(self, line: Line, seed: int, boards: Sequence[int], competition: int) -> None:
        super().__init__(line, seed)
        self._pages = ["/", f"/competitions/{competition}/", *(f"/boards/{each}/" for each in boards)]
        self._reads = [f"/api/v1/competitions/{competition}/standings"]
        for each in boards:
            at = f"/api/v1/boards/{each}"
            self._reads += [f"{at}/standings?limit=100", f"{at}/players/p1", f"{at}/view?player=p2&limit=10&radius=4"]

    def step(self) -> None:
        kind = self.dice.choice(self.kinds)
        path = self.dice.choice(self._pages if kind == "page" else self._reads)
        self.line.ask(kind, "GET", path, good=(200, 404) if "/players/" in path else (200,))


class Admin(Role):
    """A superuser who looks at the admin, and bans and unbans players."""

    kinds = ("admin",)
    pause = 0.5
    pages = ("/admin/", "/admin/leaderboards/board/", "/admin/leaderboards/player/")

    def __init__(self, line: Line, seed: int, players: Sequence[int]) -> None:
        super().__init__(line, seed)
        self._players = players
        self.banned: set[int] = set()
        self.acts = 0

    def step(self) -> None:
        if self.dice.random() < 0.5:
            self.line.ask("admin", "GET", self.dice.choice(self.pages))
            return
        player = self.dice.choice(self._players)
        wanted = player not in self.banned
        path = f"/admin/leaderboards/player/{player}/{'ban' if wanted else 'unban'}/"
        form = {"confirmed": "1", "reason": "A soak.", "csrfmiddlewaretoken": TOKEN}
        # 302 is also the answer to who bans whom an unanswered request has banned.
        while (answer := self.line.ask("admin", "POST", path, urlencode(form), (302,))) is None or answer.status != 302:
            assert answer is None or answer.status >= 500, answer
            self.rest()
        (self.banned.add if wanted else self.banned.discard)(player)
        self.acts += 1
