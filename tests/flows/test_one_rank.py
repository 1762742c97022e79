"""A rank is one number: in the list, around a player, for him alone, by name, on the page, in the CSV and in SQL."""

import csv
import io
import json
import random
import re
from typing import Any

import pytest
from django.test import Client

from foundation import clock, service_keys
from leaderboards.models import Period
from leaderboards.services.boards import apply_boards
from leaderboards.services.mirror import mirror_all
from leaderboards.stores.base import Page
from leaderboards.stores.sql import SqlStore

pytestmark = pytest.mark.django_db(transaction=True)

PLAYERS = [f"p{number:02d}_x" for number in range(24)] + ["Åse", "서연", "zoë_1"]
_LINE = re.compile(r'<tr data-key="([^"]+)"[^>]*><td class="rank"[^>]*>(.*?)</td>', re.DOTALL)
_TAG = re.compile(r"<[^>]+>")


@pytest.mark.parametrize("storage", ["hybrid", "redis", "sql"])
@pytest.mark.parametrize(
    ("order", "ties"), [("desc", "first_come"), ("asc", "last_come"), ("desc", "shared"), ("asc", "dense")]
)
def test_every_way_of_asking_gives_the_same_rank(links: None, storage: str, order: str, ties: str) -> None:
    seq = apply_boards([{"name": "Ranks", "storage": storage, "order": order, "ties": ties}], clock.now())["Ranks"]
    site = _Site(seq)
    site.submit()
    mirror_all()

    listed = site.get("standings?limit=100")["rows"]

    ranks = {row["player"]: (row["rank"], row["tied"]) for row in listed}
    assert len(ranks) == len(PLAYERS)
    assert {
        row["player"]: (row["rank"], row["tied"]) for row in site.get(f"players?ids={','.join(PLAYERS)}")["rows"]
    } == ranks
    for name in PLAYERS:
        alone, around = site.get(f"players/{name}"), site.get(f"players/{name}/around?radius=3")["rows"]
        assert (alone["rank"], alone["tied"]) == ranks[name]
        assert {row["player"]: (row["rank"], row["tied"]) for row in around}.items() <= ranks.items()
    assert site.csv_ranks() == ranks
    assert site.page_ranks() == {name: f"={rank}" if tied > 1 else str(rank) for name, (rank, tied) in ranks.items()}
    assert _sql_ranks(seq) == ranks


class _Site:
    def __init__(self, seq: int) -> None:
        self._seq = seq
        self._client = Client()

    def submit(self) -> None:
        """Few different points, so that there are ties; each player on his own, so that times differ."""
        chance = random.Random(7)
        _, key = service_keys.make("game", ["scores:write"])
        for name in chance.sample(PLAYERS, len(PLAYERS)):
            entry = {"board": self._seq, "player": name, "points": chance.randrange(5)}
            response = self._client.post(
                "/api/v1/scores",
                json.dumps({"entries": [entry]}),
                "application/json",
                headers={"Authorization": f"Bearer {key}"},
            )
            assert response.json()["accepted"] == 1

    def get(self, path: str) -> dict[str, Any]:
        response = self._client.get(f"/api/v1/boards/{self._seq}/{path}")
        assert response.status_code == 200, response.content
        told: dict[str, Any] = response.json()
        return told

    def csv_ranks(self) -> dict[str, tuple[int, int]]:
        response = self._client.get(f"/api/v1/boards/{self._seq}/standings.csv")
        text = response.getvalue().decode()
        return {row["player"]: (int(row["rank"]), int(row["tied"])) for row in csv.DictReader(io.StringIO(text))}

    def page_ranks(self) -> dict[str, str]:
        page = self._client.get(f"/boards/{self._seq}/").content.decode()
        return {name: _TAG.sub("", rank) for name, rank in _LINE.findall(page)}


def _sql_ranks(seq: int) -> dict[str, tuple[int | None, int | None]]:
    period = Period.objects.select_related("board").get(board=seq, label=_running(seq))
    [placed] = SqlStore().read(period, [Page(0, 100)]).answers
    return {period.layout.player_of(row.member): (row.rank, row.tied) for row in placed}


def _running(seq: int) -> str:
    return str(Period.objects.filter(board=seq, starts_at__lte=clock.now()).order_by("-starts_at")[0].label)
