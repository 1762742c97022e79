"""A rank is one number: in the list, around a player, for one alone, by name, on the page, in the CSV and in SQL."""

import csv
import io
import random
import re
from typing import Any
from urllib.parse import unquote

import pytest
from django.test import Client

from leaderboards.services.sync.mirror import mirror_all
from leaderboards.stores.base import Page
from leaderboards.stores.sql.reads import SqlStore
from tests import playing
from tests.leaderboards.factories import BoardFactory, PeriodFactory

pytestmark = pytest.mark.django_db(transaction=True)

PLAYERS = [f"p{number:02d}_x" for number in range(24)] + ["Åse", "서연", "zoë_1"]
_LINE = re.compile(r'<tr[^>]*><td[^>]*>(.*?)<(?:td|th).*?<a href="?/players/([^/">]+)/', re.DOTALL)
_TAG = re.compile(r"<[^>]+>")


@pytest.mark.parametrize(
    ("storage", "order", "ties"),
    [("hybrid", "asc", "dense"), ("redis", "asc", "last_come"), ("redis", "desc", "shared"), ("sql", "desc", "dense")],
)
def test_every_way_of_asking_gives_the_same_rank(
    links: None, client: Client, storage: str, order: str, ties: str
) -> None:
    board = BoardFactory.create(storage=storage, order=order, ties=ties)
    chance = random.Random(7)
    for name in chance.sample(PLAYERS, len(PLAYERS)):  # each alone, so that times differ; few points, so that some tie
        playing.score(board.seq, {name: chance.randrange(5)})
    mirror_all()

    def get(path: str) -> Any:
        return client.get(f"/api/v1/boards/{board.seq}/{path}")

    def ranks_of(rows: Any) -> dict[str, tuple[int, int]]:
        return {row["player"]: (int(row["rank"]), int(row["tied"])) for row in rows}

    ranks = ranks_of(get("standings?limit=100").json()["rows"])

    assert ranks.keys() == {*PLAYERS}
    assert ranks_of(get(f"players?ids={','.join(PLAYERS)}").json()["rows"]) == ranks
    for name in PLAYERS:
        assert ranks_of([get(f"players/{name}").json()]) == {name: ranks[name]}
        assert ranks_of(get(f"players/{name}/around?radius=3").json()["rows"]).items() <= ranks.items()
    assert ranks_of(csv.DictReader(io.StringIO(get("standings.csv").getvalue().decode()))) == ranks
    lines = _LINE.findall(client.get(f"/boards/{board.seq}/").content.decode())
    assert {unquote(name): _TAG.sub("", rank) for rank, name in lines} == {
        name: f"={rank}" if tied > 1 else str(rank) for name, (rank, tied) in ranks.items()
    }
    period = PeriodFactory.create(board=board)
    [placed] = SqlStore().read(period, [Page(0, 100)]).answers
    assert {period.layout.player_of(row.member): (row.rank, row.tied) for row in placed} == ranks
