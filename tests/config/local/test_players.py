"""What the simulated players send, and what they do in competitions."""

import itertools
import random
from typing import Any

import pytest

from config.local import players, strength
from config.local.competition_players import Races

BOARDS = {name: seq for seq, name in enumerate(players.GAMES, start=1)}
PLAYERS = ["robin", "mina", "zoe"]
REFUSED = [
    {"status": "rejected", "code": "not_joined", "competition": 7, "player": "robin"},
    {"status": "rejected", "code": "not_joined", "competition": 7, "player": "mina"},
    {"status": "updated", "competition": 7, "player": "zoe"},
]


def test_everybody_plays_within_four_ticks_and_no_two_entries_share_an_id() -> None:
    roster = players.roster(200)

    ticks = list(itertools.islice(players.turns(list(roster), random.Random(1)), 4))
    entries = players.batch(list(roster), BOARDS, players.places_of(list(roster)), random.Random(1))

    assert next(iter(roster)) == "robin"  # who has a login
    assert len(set(roster.values())) == 200
    assert sorted(player for playing in ticks for player in playing) == sorted(roster)
    on_the_first = [entry["player"] for entry in entries if entry["board"] == 1]
    assert set(on_the_first) < set(roster)
    assert len({entry["id"] for entry in entries}) == len(entries)


def test_the_strong_play_more_often_where_points_add_up_and_better_where_the_best_counts() -> None:
    roster = list(players.roster(40))
    places = players.places_of(roster)
    dice = random.Random(1)
    played = [entry for _ in range(200) for entry in players.batch(roster, BOARDS, places, dice)]
    weekly = [entry["player"] for entry in played if entry["board"] == 1]
    strongest, *_, weakest = sorted(roster, key=places["Weekly wins"].__getitem__)

    assert weekly.count(strongest) == 200
    assert weekly.count(weakest) < 20
    assert places["Weekly wins"]["robin"] == strength.FIRSTS_PLACE - 1
    best = {place: min(players.run_time(dice, place) for _ in range(50)) for place in (0, 1, 10, 39)}
    assert sorted(best, key=best.__getitem__) == [0, 1, 10, 39]
    assert best[39] > best[0] * 1.4


@pytest.mark.parametrize("count", [1, 2, 40, 4000])
def test_shares_fall_in_groups_to_a_long_tail(count: int) -> None:
    shares = [strength.share(place) for place in range(count)]

    assert shares[0] == 1
    assert shares == sorted(shares, reverse=True)
    assert shares[-1] > 0
    assert len(strength.places(list(players.roster(count)), "Golf")) == count


class Site:
    """Answers by address, ``None`` where it has none, and remembers what it was asked and sent."""

    def __init__(self) -> None:
        self.answers: dict[str, dict[str, Any] | None] = {
            "/boards": {"rows": [{"seq": 1, "name": "Weekly wins"}, {"seq": 6, "name": "Workout"}]},
            "/competitions?state=running": {"rows": [{"id": 7, "board": 6}, {"id": 8, "board": 99}]},
            "/competitions?state=frozen": {"rows": [{"id": 9, "board": 6}]},
            "/competitions/7/comments": {"rows": [{"id": 3, "player": "mina"}, {"id": 4, "player": "zoe"}]},
        }
        self.asked: list[tuple[str, str]] = []
        self.sent: list[object] = []

    def call(self, method: str, path: str, body: object = None) -> dict[str, Any] | None:
        self.asked.append((method, path))
        self.sent.append(body)
        answer = self.answers.get(path)
        if method == "POST":
            self.answers[path] = {"results": []}  # from the second time on
        return answer


@pytest.fixture
def site() -> Site:
    return Site()


@pytest.fixture
def races(site: Site) -> Races:
    """After the first refresh."""
    made = Races(site, PLAYERS)
    made.refresh()
    site.asked.clear()
    return made


def test_a_batch_without_an_answer_is_sent_again_with_the_same_ids(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(players, "TICK_SECONDS", 0.0)
    entries = players.batch(["robin"], BOARDS, {name: {"robin": 0} for name in BOARDS}, random.Random(1))

    assert players.play(site, entries) == []  # type: ignore[arg-type]  # a stand-in for a site
    assert site.sent == [{"entries": entries}, {"entries": entries}]


def test_whoever_plays_scores_in_all_that_run_on_known_boards_also_without_another_answer(
    site: Site, races: Races
) -> None:
    site.answers["/competitions?state=frozen"] = None
    races.refresh()
    dice = Dice(*[0.0] * 8)

    raced = [(entry["competition"], entry["player"]) for entry in races.entries(PLAYERS[:2], dice)]

    assert raced == [(7, "robin"), (7, "mina"), (9, "robin"), (9, "mina")]


class Dice(random.Random):
    """What they roll is prepared, and of several the first is chosen."""

    def __init__(self, *rolls: float) -> None:
        super().__init__(1)
        self._rolls = list(rolls)

    def random(self) -> float:
        return self._rolls.pop(0)

    def choice(self, several: Any) -> Any:
        return several[0]


def test_now_and_then_somebody_likes_what_another_said_and_nobody_asks_the_person_in(site: Site, races: Races) -> None:
    for playing, dice in ((PLAYERS[:2], Dice(0.0, 0.9)), (["robin"], Dice()), (PLAYERS[:2], Dice(0.0, 0.0))):
        races.like(playing, dice)
    for _ in range(2):
        races.join_rejected(REFUSED)

    read, like = ("GET", "/competitions/7/comments"), "/likes/comment/4/mina"
    asked_in = ("PUT", "/competitions/7/players/mina")
    assert site.asked == [read, ("PUT", like), read, ("DELETE", like), asked_in]
