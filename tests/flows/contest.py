"""What children do in a competition of a fast clock: prepare it, play in it, run it, and tell what it came to.

Each child is told the clock when it is born, so that whoever bears them may be older than the competition.
"""

import importlib
import logging
import os
import random
import time
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from competitions.models import Competition, Preference
from competitions.selectors.standings.standings import standings
from competitions.services.lifecycle.change_end import change_end
from competitions.services.lifecycle.freeze import reveal
from competitions.services.lifecycle.publish import publish
from competitions.services.participants.disqualify import disqualify
from competitions.services.participants.join import join, leave
from foundation import clock
from foundation.errors import Unavailable
from foundation.sync.registering import register_server
from leaderboards.core.input.entries import read_entry
from leaderboards.core.submissions import Caller, Status
from leaderboards.services.players.profiles import ensure_player
from leaderboards.services.submit.pipeline import submit
from tests import playing
from tests.competitions.factories import DraftFactory, RewardTierFactory
from tests.faults.history import Notes, like_a_request
from tests.faults.processes import stopping
from tests.foundation.factories import WebhookEndpointFactory
from tests.leaderboards.factories import BoardFactory, PlayerFactory

HOUR = timedelta(hours=1)
PLAYERS = 200
START_AFTER, END_AFTER, MOVED_TO = 4 * HOUR, 36 * HOUR, 42 * HOUR
FREEZE_MINUTES, ALERT_HOURS = 180, 24
ALERTS = ["first_taken", "first_lost", "top3_entered", "top10_entered"]
PRIZES: list[dict[str, Any]] = [
    {"name": "Gold", "kind": "rank", "limit": 1},
    {"name": "Silver", "kind": "rank", "from_rank": 2, "limit": 3},
    {"name": "Upper tenth", "kind": "percent", "limit": 10},
    {"name": "Two hundred", "kind": "points", "limit": 200},
]
logger = logging.getLogger(__name__)


def name_of(number: int) -> str:
    return f"racer-{number:03d}"


def live_by(fast: str) -> None:
    """Let this child's clock run as the others' do."""
    os.environ["FAST_CLOCK"] = fast
    importlib.reload(clock)  # into the same namespace, so that whoever imported it sees it


def prepare(start: float, hook: str) -> int:
    """From a draft to a competition that everybody has joined, at its first hour; its number."""
    at = datetime.fromtimestamp(start, tz=clock.now().tzinfo)
    WebhookEndpointFactory.create(url=hook)
    register_server()
    playing.score(BoardFactory.create(storage="redis", period="all_time").seq, {"ann": 7})  # SQL is to hear of it
    board = BoardFactory.create(storage="hybrid", period="event", at=at)
    draft = DraftFactory.create(
        board=board, starts_at=at + START_AFTER, ends_at=at + END_AFTER,
        freeze_minutes=FREEZE_MINUTES, snapshot_minutes=60, alert_hours=ALERT_HOURS, alerts=ALERTS,
    )  # fmt: skip  # as a table
    for prize in PRIZES:
        RewardTierFactory.create(competition=draft, **prize)
    cup = publish(draft, at, None)
    for number in range(PLAYERS):
        player = PlayerFactory.create(external_id=name_of(number))
        join(cup, player, at)
        if number % 4 == 0:  # never asleep
            Preference.objects.create(player=player, quiet_from=0, quiet_until=0)
    return cup.pk


def play(fast: str, competition: int, history: str, seed: int, name: str) -> int:
    """Score until the competition is over; some send things twice, and what was not answered is sent again.

    Points are few, so that many are equal, and more from hour to hour, so that somebody passes somebody.
    """
    live_by(fast)
    notes, dice, sent = Notes(history), random.Random(seed), 0
    said: list[dict[str, Any]] = []
    begun = Competition.objects.get(pk=competition).starts_at - START_AFTER
    while not stopping() and clock.now() < begun + MOVED_TO + HOUR:
        most = 40 + 4 * ((clock.now() - begun) // HOUR)
        batch = []
        for _ in range(dice.randint(1, 8)):
            player, points, sent = name_of(dice.randrange(PLAYERS)), dice.randint(0, most), sent + 1
            batch.append({"competition": competition, "player": player, "points": points, "id": f"{name}-{sent}"})
        again = [dice.choice(said)] if said and dice.random() < 0.3 else []
        said = [*said[-50:], *batch]
        _send(notes, [*batch, *again])
        time.sleep(dice.uniform(0.02, 0.12))
    return sent


def _send(notes: Notes, entries: list[dict[str, Any]]) -> None:
    """Until each has an answer; a request without one says nothing about what became of it."""
    while entries and not stopping():
        try:
            with like_a_request():
                read = [read_entry(entry, place) for place, entry in enumerate(entries)]
                outcomes = submit(read, Caller("flow"), clock.now())
        except Unavailable as error:
            logger.warning("nobody answers: %s", error.detail)
        else:
            waiting = []
            for entry, outcome in zip(entries, outcomes, strict=True):
                if outcome.status is Status.UNKNOWN or outcome.code == "unavailable":
                    waiting.append(entry)
                else:
                    notes.write(id=entry["id"], accepted=outcome.status.is_accepted)
            entries = waiting
        if entries:
            time.sleep(0.05)


def organise(fast: str, competition: int) -> list[str]:
    """What the people who run it do: one leaves, the end moves, the first is out, and at last it is revealed.

    Returns who is gone.
    """
    live_by(fast)
    cup = Competition.objects.select_related("board").get(pk=competition)
    begun, leaver = cup.starts_at - START_AFTER, name_of(7)
    _do(begun + 8 * HOUR, lambda: leave(cup, ensure_player(leaver, clock.now()), clock.now()))
    cup = _do(begun + 10 * HOUR, lambda: change_end(cup, begun + MOVED_TO, "Rain on day one.", clock.now(), None))
    [first] = _do(begun + 12 * HOUR, lambda: standings(cup, clock.now(), limit=1, full=True)).rows
    disqualify(cup, ensure_player(first.player, clock.now()), "A car.", clock.now(), None)
    while Competition.objects.get(pk=competition).final_at is None:
        time.sleep(0.05)
    reveal(cup, clock.now(), None)
    return [leaver, first.player]


def _do(moment: datetime, act: Callable[[], Any]) -> Any:
    """Then, and again until it can be done: Redis may be away."""
    while True:
        try:
            if clock.now() >= moment:
                return act()
        except Unavailable as error:
            logger.warning("not yet: %s", error.detail)
        time.sleep(0.01)
