"""A rank is one number: in the list, around a player, for one alone, by name, on the page, in the CSV and in SQL."""

import csv
import io
import json
import random
import re
from typing import Any

import pytest
from django.test import Client

from leaderboards.services.mirror import mirror_all
from leaderboards.stores.base import Page
from leaderboards.stores.sql import SqlStore
from tests.foundation.factories import KeyFactory
from tests.leaderboards.factories import BoardFactory, PeriodFactory

pytestmark = pytest.mark.django_db(transaction=True)

PLAYERS = [f"p{number:02d}_x" for number in range(24)] + ["Åse", "서연", "zoë_1"]
_LINE = re.compile(r'<tr data-key="([^"]+)"[^>]*><td class="rank"[^>]*>(.*?)</td>', re.DOTALL)
_TAG = re.compile(r"<[^>]+>")

Ranks = dict[str, tuple[int, int]]


@pytest.mark.parametrize(
    ("storage", "order", "ties"),
    [
        ("hybrid", "desc", "first_come"),
        ("hybrid", "asc", "dense"),
        ("redis", "asc", "last_come"),
        ("redis", "desc", "shared"),
        ("sql", "desc", "dense"),
        ("sql", "asc", "first_come"),
    ],
)
def test_every_way_of_asking_gives_the_same_rank(links: None, storage: str, order: str, ties: str) -> None:
    board = BoardFactory.create(storage=storage, order=order, ties=ties)
    site = _Site(board.seq)
    site.submit()
    mirror_all()

    ranks = site.ranks("standings?limit=100")

    assert len(ranks) == len(PLAYERS)
    assert site.ranks(f"players?ids={','.join(PLAYERS)}") == ranks
    for name in PLAYERS:
        alone = site.get(f"players/{name}")
        assert (alone["rank"], alone["tied"]) == ranks[name]
        assert site.ranks(f"players/{name}/around?radius=3").items() <= ranks.items()
    assert site.csv_ranks() == ranks
    assert site.page_ranks() == {name: f"={rank}" if tied > 1 else str(rank) for name, (rank, tied) in ranks.items()}
    period = PeriodFactory.create(board=board)
    [placed] = SqlStore().read(period, [Page(0, 100)]).answers
    assert {period.layout.player_of(row.member): (row.rank, row.tied) for row in placed} == ranks


class _Site:
    def __init__(self, seq: int) -> None:
        self._seq = seq
        self._client = Client()

    def submit(self) -> None:
        """Few different points, so that there are ties; each player alone, so that times differ."""
        chance, headers = random.Random(7), {"Authorization": f"Bearer {KeyFactory.create()}"}
        for name in chance.sample(PLAYERS, len(PLAYERS)):
            sent = json.dumps({"entries": [{"board": self._seq, "player": name, "points": chance.randrange(5)}]})
            response = self._client.post("/api/v1/scores", sent, "application/json", headers=headers)
            assert response.json()["accepted"] == 1

    def get(self, path: str) -> dict[str, Any]:
        response = self._client.get(f"/api/v1/boards/{self._seq}/{path}")
        assert response.status_code == 200, response.content
        told: dict[str, Any] = response.json()
        return told

    def ranks(self, path: str) -> Ranks:
        return {row["player"]: (row["rank"], row["tied"]) for row in self.get(path)["rows"]}

    def csv_ranks(self) -> Ranks:
        response = self._client.get(f"/api/v1/boards/{self._seq}/standings.csv")
        text = response.getvalue().decode()
        return {row["player"]: (int(row["rank"]), int(row["tied"])) for row in csv.DictReader(io.StringIO(text))}

    def page_ranks(self) -> dict[str, str]:
        page = self._client.get(f"/boards/{self._seq}/").content.decode()
        return {name: _TAG.sub("", rank) for name, rank in _LINE.findall(page)}
