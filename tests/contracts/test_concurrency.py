"""Sixteen threads at once: nothing is counted twice, nothing is lost, and no lock reaches a caller."""

import random
import time
from collections import Counter
from collections.abc import Sequence
from datetime import timedelta
from functools import partial

import pytest

from leaderboards import selectors
from leaderboards.core.input.entries import Entry, read_entry
from leaderboards.core.ranking.rules import Order, Ties, Update
from leaderboards.core.submissions import Caller, Outcome, Status
from leaderboards.models import Standing, Submission
from leaderboards.services.submit.pipeline import submit
from leaderboards.services.sync.mirror import mirror_all
from leaderboards.services.sync.resync_periods import resync_due
from leaderboards.stores.sql.reads import snapshot_transaction
from tests.at_once import at_once
from tests.contracts.arena import NOW, Arena
from tests.contracts.forms import FORMS
from tests.contracts.storages import STORAGES

pytestmark = [
    pytest.mark.contract,
    pytest.mark.django_db(transaction=True),
    pytest.mark.parametrize(
        ("storage", "partitions"), [*((storage, 1) for storage in STORAGES), ("hybrid", 4), ("redis", 4)]
    ),
]

THREADS, PLAYERS = 16, 40
AGAIN = ("unavailable", "outcome_unknown")
MEMBER = next(form for form in FORMS if form.name == "member")


def test_a_read_of_several_statements_sees_one_state(links: None, storage: str, partitions: int) -> None:
    arena = Arena.open(MEMBER, storage, Order.DESC, Update.BEST, Ties.SHARED, partitions=partitions)
    first, *later = drawn(arena, 60)
    submit([first], Caller("game"), NOW)

    def score() -> None:
        assert {each.code for each in submit([entry._replace(position=0) for entry in later], Caller("game"), NOW)}

    with snapshot_transaction():
        before = {*Standing.objects.values_list("player", "score")}
        at_once([score])
        after = {*Standing.objects.values_list("player", "score")}

    mirror_all()
    assert before == after != {*Standing.objects.values_list("player", "score")}


def sent_at_once(entries: Sequence[Entry], size: int) -> list[Outcome]:
    """Send requests of that size from sixteen threads, each its share."""
    requests = [
        [entry._replace(position=place) for place, entry in enumerate(entries[start : start + size])]
        for start in range(0, len(entries), size)
    ]
    answers = at_once([partial(sent_in_turn, requests[nth::THREADS]) for nth in range(THREADS)])
    return [outcome for answer in answers for outcome in answer]


def sent_in_turn(requests: Sequence[Sequence[Entry]]) -> list[Outcome]:
    """As a game server does it: what was ``unavailable`` or ``unknown`` on a slow machine is sent again, by its id."""
    told, until = list[Outcome](), time.monotonic() + 60
    for request in requests:
        outcomes = submit(request, Caller("game"), NOW)
        while time.monotonic() < until and any(outcome.code in AGAIN for outcome in outcomes):
            time.sleep(0.1)
            outcomes = submit(request, Caller("game"), NOW)
        told += outcomes
    return told


def number_of_entries(storage: str) -> int:
    """Fewer for DynamoDB, whose stand-in takes some hundred times as long for each."""
    return 100 if storage == "dynamodb" else 400


def drawn(arena: Arena, count: int) -> list[Entry]:
    """Entries of few players, so that they meet."""
    chance, entries = random.Random(771), list[Entry]()
    for position in range(count):
        player, at = f"p{chance.randrange(PLAYERS)}", NOW - timedelta(milliseconds=chance.randrange(100_000))
        said = {"id": f"match-{position}", "player": player, "points": chance.randrange(1, 50), "at": at.isoformat()}
        entries.append(read_entry({"board": arena.board.seq, **said}, position))
    return entries


def test_every_increment_counts_once_though_each_is_sent_twice(links: None, storage: str, partitions: int) -> None:
    arena = Arena.open(MEMBER, storage, Order.DESC, Update.INCREMENT, Ties.FIRST_COME, partitions=partitions)
    many = number_of_entries(storage)
    entries = drawn(arena, many)
    twice = [*entries, *entries]
    random.Random(1).shuffle(twice)

    outcomes = sent_at_once(twice, 10)

    told = Counter(outcome.status for outcome in outcomes)
    assert told[Status.UPDATED] <= many
    assert told[Status.UPDATED] + told[Status.DUPLICATE] == 2 * many
    wanted: Counter[str] = Counter()
    for entry in entries:
        wanted[entry.player] += int(entry.points or 0)
    rows = selectors.standings(arena.board, arena.period.label, 0, PLAYERS).rows
    assert {row.player: row.points for row in rows} == wanted
    arena.bring_to_sql()
    assert dict(Standing.objects.values_list("player__external_id", "points")) == wanted
    if storage in ("sql", "hybrid"):
        assert Submission.objects.count() == many


def test_the_best_and_earliest_wins_whoever_is_written_first(links: None, storage: str, partitions: int) -> None:
    arena = Arena.open(MEMBER, storage, Order.DESC, Update.BEST, Ties.FIRST_COME, partitions=partitions)
    entries = drawn(arena, number_of_entries(storage))
    for entry in entries:
        arena.oracle.submit(entry.player, (int(entry.points or 0),), int((entry.at or NOW).timestamp() * 1000 + 0.5))

    outcomes = sent_at_once(entries, 5)

    assert all(outcome.status.is_accepted for outcome in outcomes)
    resync_due(NOW)  # whatever a slow machine has left unput
    arena.period.refresh_from_db()
    arena.agree()
    arena.bring_to_sql()
    arena.agree_in_sql()
