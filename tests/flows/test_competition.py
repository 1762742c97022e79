"""A competition of 200 from draft to rewards, with a real worker and beat that are killed, and Redis too.

Two days pass in under a minute. At the end everything is worked out anew from what was submitted and from the
snapshots: ranks, who hears what, what a night came to, who is rewarded, and what the shop was sent.
"""

import json
import random
import time
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from datetime import time as clock_time
from pathlib import Path
from typing import Any

import pytest

from competitions.management.expected import AcceptedScore, ExpectedSnapshot, Prize, notices, ranking, rewards
from tests.competitions.services.telling import without_moment
from tests.faults.world import World, wait_until
from tests.flows import came_of_it, contest
from tests.flows.crew import Crew
from tests.foundation.webhooks.receiver import Receiver

pytestmark = [pytest.mark.faults, pytest.mark.long, pytest.mark.alone]

SPEED = 3600.0
WARMING_UP = 4.0  # a worker's own start is no part of the competition
HOUR = 3600.0
# What is decided so near to an edge may fall on either side of it: a time is read, and then comes the transaction.
EDGE = HOUR
NIGHT = (23, 8)


@pytest.fixture
def shop() -> Iterator[Receiver]:
    receiver = Receiver()
    yield receiver
    receiver.leave()


def test_a_competition_of_two_hundred_comes_to_its_rewards_whoever_is_killed(
    world: World, seed: int, dice: random.Random, shop: Receiver
) -> None:
    start = (datetime.now(UTC) + timedelta(days=2)).replace(hour=0, minute=0, second=0, microsecond=0).timestamp()
    cup = world.call(contest.prepare, start=start, hook=shop.url)
    begins = time.time() + WARMING_UP
    fast = f"{begins},{start},{SPEED}"

    with Crew(world, fast) as staff:
        histories = [world.new_history() for _ in range(2)]
        players = [
            world.spawn(contest.play, fast=fast, competition=cup, history=each, seed=seed + nth, name=f"game-{nth}")
            for nth, each in enumerate(histories)
        ]
        organisers = world.spawn(contest.organise, fast=fast, competition=cup)
        staff.kill_at_random(dice, begins, contest.MOVED_TO.total_seconds() / SPEED)
        wait_until(lambda: _is_done(staff, world, cup), "everything is told")
        gone = organisers.result()
        for each in players:
            assert each.result() > 0
    rows = world.call(came_of_it.rows, competition=cup)

    answers = [json.loads(line) for history in histories for line in Path(history).read_text().splitlines()]
    accepted = {each["id"] for each in answers if each["accepted"]}
    counted = [
        AcceptedScore(player, points, _time(at)) for _, player, points, at in rows["submissions"] if player not in gone
    ]
    assert rows["in_sql"] == [7]
    assert rows["participants"] == contest.PLAYERS
    assert sorted(rows["gone"]) == sorted(gone)
    assert sorted(each[0] for each in rows["submissions"]) == sorted(accepted)
    assert dict(rows["final"]) == ranking(counted)
    _check_notices(rows)
    extended = Counter(each["player"] for each in rows["notices"] if each["kind"] == "extended")
    assert extended == Counter({contest.name_of(number) for number in range(contest.PLAYERS)} - {gone[0]})
    _check_night(rows)
    earned = Counter((name, player) for _, name, player, _ in rows["grants"])
    assert earned == Counter(rewards([Prize(**prize) for prize in contest.PRIZES], counted))
    _check_messages(rows, shop, cup)


def _is_done(staff: Crew, world: World, cup: int) -> bool:
    staff.revive()
    return bool(world.call(came_of_it.is_done, competition=cup))


def _check_notices(rows: dict[str, Any]) -> None:
    """Each passage of the last hours is told once, up to the freeze, and nothing else."""
    looks = [ExpectedSnapshot(each["number"], _time(each["due_at"]), each["ranks"]) for each in rows["snapshots"]]
    begin, freezes_at = rows["ends_at"] - contest.ALERT_HOURS * HOUR, rows["ends_at"] - contest.FREEZE_MINUTES * 60

    def due(until: float) -> set[tuple[tuple[int, str], str]]:
        late = [each for each in rows["snapshots"] if begin < each["due_at"] <= until]
        passed = notices(looks, [each["number"] for each in late], contest.ALERTS)
        return {(key, kind) for key, kind in passed.items() if key[1] not in rows["gone"]}

    told = [each for each in rows["notices"] if each["snapshot"] is not None]
    found = {((each["snapshot"], each["player"]), each["kind"]) for each in told}

    must = due(until=freezes_at - EDGE)
    assert len({key for key, _ in found}) == len(told)
    assert must <= found <= due(until=freezes_at)
    assert len(must) > 20, "too little happened to say anything"


def _check_night(rows: dict[str, Any]) -> None:
    """What somebody was to hear in one night is one notice in the morning. Only what is of ranks is dropped, and only
    if it was over by that morning.

    A slow machine comes to the last looks and the results in a second night, which has a morning of its own.
    """
    all_held = [each for each in rows["notices"] if each["kind"] != "summary" and _is_held(each, rows)]
    moot = {each["number"] for each in all_held if each["snapshot"] is not None and _is_over(each, rows)}
    held = [each for each in all_held if each["number"] not in moot]
    late = {_morning(each) for each in held if _time(each["created_at"]).hour == NIGHT[1] - 1}
    several = {morning for morning, count in Counter(_morning(each) for each in held).items() if count > 1}
    summaries = Counter(_morning(each) for each in rows["notices"] if each["kind"] == "summary")

    assert {each["number"] for each in rows["notices"] if each["dropped"]} == moot
    assert several - late <= summaries.keys() <= several
    assert set(summaries.values()) <= {1}
    assert all_held or not any(_is_at_night(each["compared_at"]) for each in rows["snapshots"])


def _morning(notice: dict[str, Any]) -> tuple[str, date]:
    """Whose it is, and the day on which its night ends."""
    return notice["player"], (_time(notice["created_at"]) + timedelta(hours=24 - NIGHT[0])).date()


def _is_over(notice: dict[str, Any], rows: dict[str, Any]) -> bool:
    _, day = _morning(notice)
    return datetime.combine(day, clock_time(NIGHT[1]), UTC) >= _time(rows["ends_at"])


def _is_held(notice: dict[str, Any], rows: dict[str, Any]) -> bool:
    return _is_at_night(notice["created_at"]) and notice["player"] not in rows["never_asleep"]


def _is_at_night(timestamp: float) -> bool:
    hour = _time(timestamp).hour
    return hour >= NIGHT[0] or hour < NIGHT[1]


def _check_messages(rows: dict[str, Any], shop: Receiver, cup: int) -> None:
    """The shop has each message, and whenever it came it said the same."""
    ids = {f"notice-{each['number']}" for each in rows["notices"] if each["snapshot"] is not None}
    ids |= {f"grant-{number}" for number, *_ in rows["grants"]} | {f"competition-{cup}-final"}
    ids |= {f"change-{number}" for number, kind in rows["changes"] if kind in ("published", "extended", "revealed")}

    bodies = {(without_moment(each.message_id), each.body) for each in shop.received}
    finals = {message_id: json.loads(body) for message_id, body in bodies if message_id.startswith("period-")}
    data = finals[f"period-{rows['period']}-final"]["data"]

    assert Counter(message_id for message_id, _ in bodies) == Counter(ids | finals.keys())
    assert (data["competition"], data["total"]) == (cup, len(rows["final"]))
    assert [(row["player"], row["rank"]) for row in data["rows"]] == [tuple(each) for each in rows["final"][:10]]


def _time(timestamp: float) -> datetime:
    return datetime.fromtimestamp(timestamp, UTC)
