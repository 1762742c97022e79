"""PostgreSQL is down: what Redis can answer alone is answered, and what nobody knows is refused in so many words."""

import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.faults import chores, visitors, writers
from tests.faults.history import Attempt, Fate, History, lines
from tests.faults.loads import at_work, load, make_boards, wait_until
from tests.faults.verdict import check
from tests.faults.world import World

DOWN_SECONDS = 2.0
LONGEST_CALL = 3.0  # time-outs are half a second; the rest is a slow machine's


def visits(notes: Path) -> list[dict[str, Any]]:
    return [*lines(notes)] if notes.exists() else []


def paths_since(notes: Path, moment: float) -> set[str]:
    return {each["path"] for each in visits(notes) if each["began"] > moment}


@pytest.mark.parametrize("user", ["", "somebody"], ids=["a stranger", "somebody signed in"])
def test_live_boards_are_read_while_postgresql_is_down(world: World, seed: int, user: str) -> None:
    boards = [*make_boards(world, "hybrid", "shared", "redis").values()]
    world.call(writers.write, history=world.new_history(), boards=boards, seed=seed, calls=80, players=5)
    tables = [f"/api/v1/boards/{seq}/{what}" for seq in boards for what in ("standings?limit=100", "players/p1/around")]
    pages = [f"/boards/{seq}/{what}" for seq in boards for what in ("", "?fragment=1&player=p1")]
    notes = world.folder / "visits"

    visitor = world.spawn(visitors.visit, notes=str(notes), paths=[*tables, *pages], user=user)
    wait_until(lambda: len(visits(notes)) >= len(tables + pages), "a look at everything")
    world.sql.kill()
    down = time.monotonic()
    wait_until(lambda: paths_since(notes, down) >= {*tables, *pages}, "another look at everything")
    time.sleep(max(0.0, down + DOWN_SECONDS - time.monotonic()))
    visitor.stop()

    seen = visits(notes)
    before, after = seen[: len(tables + pages)], [each for each in seen if each["began"] > down]
    assert {each["status"] for each in seen} == {200}
    assert max(each["ended"] - each["began"] for each in after) < LONGEST_CALL
    for path in tables:
        assert rows_seen(after, path) == rows_seen(before, path)
    assert not any("not live" in each["body"] for each in after)
    assert all(("/account/" in each["body"]) == bool(user) for each in before if each["path"].endswith("/"))
    assert not any("/account/" in each["body"] for each in after)


def rows_seen(seen: Sequence[dict[str, Any]], path: str) -> set[str]:
    """The live tables that this path showed."""
    answers = [json.loads(each["body"]) for each in seen if each["path"] == path]
    assert all(answer["live"] and answer["rows"] for answer in answers)
    return {json.dumps(answer["rows"]) for answer in answers}


def test_a_period_that_nobody_heard_of_before_sql_went_is_refused_until_it_is_back(world: World, seed: int) -> None:
    boards = make_boards(world, "redis")
    shift = world.call(chores.day_ends_in, seq=boards["redis"]) - 4.0
    ends = time.monotonic() + 4.0

    with at_work(world, shift=shift), load(world, [*boards.values()], seed, shift=shift, again=0.0):
        time.sleep(max(0.0, ends - 1.0 - time.monotonic()))
        world.sql.kill()
        time.sleep(max(0.0, ends + 2.0 - time.monotonic()))
        back = time.monotonic()
        world.sql.start()
        time.sleep(2.0)

    history = check(world, shift=shift)
    meanwhile = answers(history, ends + 0.2, back)
    assert len(meanwhile) > 20
    assert {(each.status, each.code) for each in meanwhile} == {("rejected", "unavailable")}
    assert any(each.period for each in answers(history, ends - 0.8, ends - 0.1))
    assert len({each.period for each in answers(history, 0.0, time.monotonic()) if each.period}) == 2
    assert {each.fate for each in history.operations.values()} <= {Fate.OK, Fate.FAILED}


def answers(history: History, start: float, end: float) -> list[Attempt]:
    """What was asked and answered between two moments."""
    attempts = [attempt for each in history.operations.values() for attempt in each.attempts]
    return [attempt for attempt in attempts if start < attempt.began and attempt.ended < end]
