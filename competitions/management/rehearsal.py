"""A competition of simulated participants, from joining to rewards, through the services that real ones take.

A day and a half passes in as many seconds as are wanted: every half hour the clock stands still while all that is
due then is done, for this competition alone. It lies in the coming days, so that a worker beside it leaves it in
peace; snapshots are compared in the transaction that takes them, since that is the one thing he would do too.
"""

import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from django.db import transaction

from competitions.management.naive import Counted, Prize, ranking
from competitions.models import Competition, Participant, RewardTier, Snapshot
from competitions.selectors.competitions import competition_by_id
from competitions.services import preferences
from competitions.services.cancel import cancel
from competitions.services.change_end import change_end
from competitions.services.disqualify import disqualify
from competitions.services.finish import finish
from competitions.services.freeze import freeze_if_due, reveal
from competitions.services.join import join, leave
from competitions.services.locked import period_of
from competitions.services.notices import release_held
from competitions.services.notify import compare
from competitions.services.publish import publish
from competitions.services.reward import grant_of
from competitions.services.snapshot import due, take
from competitions.services.strays import take_out_strays
from foundation import clock
from foundation.errors import Unavailable
from leaderboards.core.entries import read_entry
from leaderboards.core.submissions import Caller, Outcome, Status
from leaderboards.models import Board, Player
from leaderboards.services.boards import apply_boards
from leaderboards.services.players import ensure_player
from leaderboards.services.settle import settle_now
from leaderboards.services.submit import submit

BOARD = {"name": "Rehearsal", "storage": "hybrid", "period": "event", "visibility": "private"}
ALERTS = ("first_taken", "first_lost", "top3_entered", "top10_entered")
PRIZES = (
    Prize("Gold", "rank", 1),
    Prize("Silver", "rank", 3, from_rank=2),
    Prize("Upper tenth", "percent", 10),
    Prize("Two hundred points", "points", 200),
)
WISHES = (
    preferences.Wishes(),
    preferences.Wishes(timezone="Asia/Seoul"),
    preferences.Wishes(quiet_from=0, quiet_until=0),
)
CALLER = Caller("rehearsal")
HALF_HOUR = timedelta(minutes=30)
PATIENCE_SECONDS = 30.0

# In half hours from the evening on which it is published.
STARTS, MOVES, LEAVES, OUT, ENDS, MOVED_TO, REVEALED, OVER = 4, 12, 18, 24, 52, 60, 61, 62
ALERT_HOURS, FREEZE_MINUTES = 20, 120


@dataclass
class Record:
    """What was done, as the simulated participants know it: what everything is compared with."""

    accepted: dict[str, Counted] = field(default_factory=dict)
    gone: dict[str, datetime] = field(default_factory=dict)
    disqualified: dict[str, datetime] = field(default_factory=dict)  # they are among the gone
    told_of_end: list[str] = field(default_factory=list)
    moved_at: datetime | None = None
    ranks: dict[datetime, dict[str, int]] = field(default_factory=dict)  # at each snapshot's time

    @property
    def counted(self) -> list[Counted]:
        """What counts: of those who have not left."""
        return [each for each in self.accepted.values() if each.player not in self.gone]


class Rehearsal:
    """One run. ``say`` gets a line of the timeline; ``meanwhile`` is called at each half hour, with its number."""

    def __init__(self, count: int, say: Callable[[str], None], dice: random.Random) -> None:
        self.record = Record()
        self._count = count
        self._say = say
        self._dice = dice
        self._begins = (clock.now() + timedelta(days=1)).replace(hour=18, minute=0, second=0, microsecond=0)
        self._number = 0
        self._players: dict[str, Player] = {}

    @property
    def competition(self) -> Competition:
        """It, as it is now."""
        return competition_by_id(self._number)

    def run(self, seconds: float, meanwhile: Callable[[int], None]) -> None:
        """From joining to rewards, in about so many seconds. What is cut off is cancelled."""
        began = time.monotonic()
        try:
            for nth in range(OVER + 1):
                meanwhile(nth)
                self._half_hour(nth)
                time.sleep(max(0.0, began + seconds * nth / OVER - time.monotonic()))
        except BaseException:
            self._cancel()
            raise

    def _half_hour(self, nth: int) -> None:
        at = self._begins + nth * HALF_HOUR
        acts = {
            0: self._open, MOVES: self._move_end, LEAVES: self._let_one_go, OUT: self._disqualify_first,
            REVEALED: self._reveal,
        }  # fmt: skip  # as a table
        with clock.stand_at(at):
            if nth in acts:
                acts[nth](at)
            self._do_what_is_due(at)
        if STARTS <= nth < MOVED_TO:
            self._play(nth, at)

    def _told(self, at: datetime, what: str) -> None:
        self._say(f"{at:%a %H:%M}  {what}")

    # -- what people do -----------------------------------------------------------------------

    def _open(self, at: datetime) -> None:
        board = Board.objects.get(seq=apply_boards([BOARD], at)[BOARD["name"]])
        draft = Competition.objects.create(
            name=f"Rehearsal {at:%Y-%m-%d}", board=board, starts_at=at + STARTS * HALF_HOUR,
            ends_at=at + ENDS * HALF_HOUR, alerts=list(ALERTS), alert_hours=ALERT_HOURS, freeze_minutes=FREEZE_MINUTES,
            review_hours=0,
        )  # fmt: skip  # as a table
        for prize in PRIZES:
            RewardTier.objects.create(
                competition=draft, name=prize.name, kind=prize.kind, from_rank=prize.from_rank,
                limit=Decimal(prize.limit),
            )  # fmt: skip  # as a table
        self._number = publish(draft, at, None).pk
        for nth in range(self._count):
            player = ensure_player(f"rehearsal-{nth + 1:04d}", at)
            preferences.keep(player, WISHES[nth % len(WISHES)])
            join(self.competition, player, at)
            self._players[player.external_id] = player
        self._told(at, f"competition {self._number} is open, and {self._count} have joined")

    def _move_end(self, at: datetime) -> None:
        moved = change_end(
            self.competition, self._begins + MOVED_TO * HALF_HOUR, "It rained on the first day.", at, None
        )
        self.record.told_of_end, self.record.moved_at = self._taking_part(), at
        self._told(at, f"the end is moved to {moved.ends_at:%a %H:%M}, and everybody is told")

    def _let_one_go(self, at: datetime) -> None:
        last = self._taking_part()[-1]
        leave(self.competition, self._players[last], at)
        self.record.gone[last] = at
        self._told(at, f"{last} leaves")

    def _disqualify_first(self, at: datetime) -> None:
        ranks = ranking(self.record.counted)
        first = min(ranks, key=lambda player: ranks[player])
        disqualify(self.competition, self._players[first], "Came by car.", at, None)
        self.record.gone[first] = self.record.disqualified[first] = at
        self._told(at, f"{first}, who was first, is disqualified")

    def _reveal(self, at: datetime) -> None:
        self._do_what_is_due(at)  # closes it
        reveal(self.competition, at, None)
        self._told(at, "the final ranking is revealed")

    def _cancel(self) -> None:
        if self._number and self.competition.final_at is None and self.competition.cancelled_at is None:
            cancel(self.competition, "The rehearsal was cut off.", clock.now(), None)

    # -- what the schedule does, for this competition alone -----------------------------------

    def _do_what_is_due(self, at: datetime) -> None:
        cup = self.competition
        settle_now(period_of(cup))
        if freeze_if_due(cup, at):
            self._told(at, "the public standings are frozen")
        take_out_strays(cup, at)
        if cup.starts_at <= at < cup.ends_at:
            self._snapshot(cup, at)
        if told := release_held(at, of=cup):
            self._told(at, f"the night is over somewhere: {told} notices are told")
        if finish(cup, at):
            self._told(at, f"final, after {len(self.record.accepted)} submissions")
        if granted := grant_of(period_of(cup), at) if cup.revealed_at else 0:
            self._told(at, f"{granted} rewards are granted")

    def _snapshot(self, cup: Competition, at: datetime) -> None:
        due_at = due(cup, at)
        if due_at is None or Snapshot.objects.filter(competition=cup, due_at=due_at).exists():
            return
        with transaction.atomic():
            taken = take(cup, due_at, at)
            told = compare(taken.pk, at) if taken else 0
        self.record.ranks[due_at] = ranking(self.record.counted)
        if told:
            self._told(at, f"{told} have passed somebody that matters")

    # -- what the participants do --------------------------------------------------------------

    def _play(self, nth: int, at: datetime) -> None:
        """A few score, some of them in one and the same second; of what was sent, some is sent again."""
        sent: list[dict[str, Any]] = []
        for turn, minutes in enumerate((5, 5, 20)):
            playing = self._dice.sample(self._taking_part(), k=max(1, self._count // 10))
            new = [self._entry(player, nth, turn) for player in playing]
            self._submit(new + self._dice.sample(sent, k=len(sent) // 4), at + timedelta(minutes=minutes))
            sent += new

    def _entry(self, player: str, nth: int, turn: int) -> dict[str, Any]:
        """Points from few, so that many are equal; more from hour to hour, so that somebody passes somebody."""
        points = self._dice.randint(0, 40 + 2 * nth + self._dice.choice((0, 0, 0, 60)))
        return {"competition": self._number, "player": player, "points": points, "id": f"{nth}-{turn}-{player}"}

    def _submit(self, entries: Sequence[dict[str, Any]], at: datetime) -> None:
        """Until each has an answer: with its id, an entry may be sent as often as it takes."""
        give_up = time.monotonic() + PATIENCE_SECONDS
        waiting = list(entries)
        while waiting:
            with clock.stand_at(at):
                outcomes = submit([read_entry(each, place) for place, each in enumerate(waiting)], CALLER, at)
            self._note(waiting, outcomes, at)
            waiting = [each for each, outcome in zip(waiting, outcomes, strict=True) if _is_open(outcome)]
            if waiting and time.monotonic() > give_up:
                raise Unavailable(f"Scores are not taken: {outcomes[-1].detail}")

    def _note(self, entries: Sequence[dict[str, Any]], outcomes: Sequence[Outcome], at: datetime) -> None:
        for entry, outcome in zip(entries, outcomes, strict=True):
            if outcome.status.is_accepted:
                self.record.accepted.setdefault(entry["id"], Counted(entry["player"], entry["points"], at))
            elif not _is_open(outcome):
                raise Unavailable(f"A score of {entry['player']} is refused: {outcome.detail}")

    def _taking_part(self) -> list[str]:
        rows = Participant.objects.filter(Participant.TAKING_PART, competition=self._number)
        return list(rows.order_by("pk").values_list("player__external_id", flat=True))


def _is_open(outcome: Outcome) -> bool:
    return outcome.status is Status.UNKNOWN or outcome.code == Unavailable.code
