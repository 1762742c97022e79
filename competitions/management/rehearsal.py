"""A competition of simulated participants, from joining to an appeal, run with the real services.

Two days pass in the given number of seconds: at every half hour the clock stops while everything that is due is done,
for this competition only. It is in the coming days, so that a running worker finds nothing due. Work that the worker
would find anyway is done in the transaction that makes it due: snapshots are compared when they are taken, rewards are
granted and results notified when they are published.
"""

import random
import time
from collections.abc import Callable
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from django.db import transaction

from competitions.management.expected import ranking
from competitions.management.jury_scenario import JuryScenario
from competitions.management.record import ALERTS, PRIZES, Record
from competitions.management.score_sender import ScoreSender
from competitions.management.viewpoints import amount
from competitions.models import Competition, RewardTier, Snapshot
from competitions.selectors.competitions import competition_by_id
from competitions.services.lifecycle.cancel import cancel
from competitions.services.lifecycle.change_end import change_end
from competitions.services.lifecycle.finish import finish
from competitions.services.lifecycle.freeze import freeze_if_due
from competitions.services.lifecycle.publish import publish
from competitions.services.lifecycle.snapshots import latest_due_time, take_snapshot
from competitions.services.locks import get_or_open_period
from competitions.services.notices import preferences
from competitions.services.notices.notices import release_deferred
from competitions.services.notices.rank_notices import compare
from competitions.services.participants.join import join, leave
from competitions.services.participants.remove_withdrawn import remove_withdrawn_of
from foundation import clock
from leaderboards.models import Board, Player
from leaderboards.services.board_files import apply_boards
from leaderboards.services.players.profiles import ensure_player
from leaderboards.services.sync.resync_periods import resync_now

BOARD = {"name": "Rehearsal", "storage": "hybrid", "period": "event", "visibility": "private"}
NOTICE_SETTINGS = (
    preferences.NoticeSettings(),
    preferences.NoticeSettings(timezone="Asia/Seoul"),
    preferences.NoticeSettings(quiet_from=0, quiet_until=0),
)
HALF_HOUR = timedelta(minutes=30)

# In half hours from publishing.
STARTS, MOVES, LEAVES, DRIVES, OUT, ENDS, FREEZES, CHEATS, MOVED_TO = 4, 12, 18, 23, 24, 52, 56, 58, 60
CLOSED, JUDGED, REVEALED, CONFIRMED = 61, 62, 63, 65
APPEALED, OVER = 78, 79  # after the night in every time zone, so that deferred notices are released before
ALERT_HOURS, FREEZE_MINUTES, REVIEW_HOURS = 20, 120, 72


class Rehearsal:
    """One run. ``say`` prints a line of the timeline; ``meanwhile`` is called at each half hour, with its number."""

    def __init__(self, count: int, say: Callable[[str], None], dice: random.Random) -> None:
        self.record = Record()
        self._count = count
        self._say = say
        self._dice = dice
        self._begins = (clock.now() + timedelta(days=1)).replace(hour=18, minute=0, second=0, microsecond=0)
        self._game = ScoreSender(self.record)
        self._players: dict[str, Player] = {}
        self._evening = JuryScenario(self._game, self.record, self._players, self._told, say)

    @property
    def competition(self) -> Competition:
        """The competition as it is now."""
        return competition_by_id(self._game.number)

    def run(self, seconds: float, meanwhile: Callable[[int], None]) -> None:
        """Run from joining to the appeal, in about ``seconds``. If it is interrupted, the competition is cancelled."""
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
        before, evening = {0: self._open, MOVES: self._move_end, LEAVES: self._let_one_go}, self._evening
        before |= {DRIVES: evening.drive, OUT: evening.disqualify_first}
        after = {
            FREEZES: evening.freeze, CHEATS: evening.cheat, CLOSED: evening.close, JUDGED: evening.judge,
            REVEALED: evening.reveal, CONFIRMED: evening.confirm, APPEALED: evening.appeal,
        }  # fmt: skip  # as a table
        with clock.freeze_at(at):
            if nth in before:
                before[nth](at)
            self._do_what_is_due(at)
            if nth in after:
                after[nth](at)
        if STARTS <= nth < MOVED_TO:
            self._play(nth, at)

    def _told(self, at: datetime, what: str) -> None:
        self._say(f"{at:%a %H:%M}  {what}")

    # -- what organizers do -----------------------------------------------------------------------

    def _open(self, at: datetime) -> None:
        board = Board.objects.get(seq=apply_boards([BOARD], at)[BOARD["name"]])
        draft = Competition.objects.create(
            name=f"Rehearsal {at:%Y-%m-%d}", board=board, starts_at=at + STARTS * HALF_HOUR,
            ends_at=at + ENDS * HALF_HOUR, alerts=list(ALERTS), alert_hours=ALERT_HOURS, freeze_minutes=FREEZE_MINUTES,
            review_hours=REVIEW_HOURS,
        )  # fmt: skip  # as a table
        for prize in PRIZES:
            RewardTier.objects.create(
                competition=draft, name=prize.name, kind=prize.kind, from_rank=prize.from_rank,
                limit=Decimal(prize.limit),
            )  # fmt: skip  # as a table
        self._game.number = publish(draft, at, None).pk
        for nth in range(self._count):
            player = ensure_player(f"rehearsal-{nth + 1:04d}", at)
            preferences.save_preference(player, NOTICE_SETTINGS[nth % len(NOTICE_SETTINGS)])
            join(self.competition, player, at)
            self._players[player.external_id] = player
            self.record.joined.append(player.external_id)
        self._told(at, f"competition {self._game.number} is open, and {self._count} have joined")

    def _move_end(self, at: datetime) -> None:
        moved = change_end(
            self.competition, self._begins + MOVED_TO * HALF_HOUR, "It rained on the first day.", at, None
        )
        self.record.told_of_end, self.record.moved_at = self.record.taking_part, at
        self._told(at, f"the end is moved to {moved.ends_at:%a %H:%M}, and everybody is told")

    def _let_one_go(self, at: datetime) -> None:
        last = self.record.taking_part[-1]
        leave(self.competition, self._players[last], at)
        self.record.gone[last] = at
        self._told(at, f"{last} leaves")

    def _cancel(self) -> None:
        if self._game.number and self.competition.final_at is None and self.competition.cancelled_at is None:
            cancel(self.competition, "The rehearsal was cut off.", clock.now(), None)

    # -- what the schedule does, for this competition alone -----------------------------------

    def _do_what_is_due(self, at: datetime) -> None:
        cup = self.competition
        resync_now(get_or_open_period(cup))
        if freeze_if_due(cup, at):
            self._told(at, "the public standings are frozen")
        remove_withdrawn_of(cup, at)
        if cup.starts_at <= at < cup.ends_at:
            self._snapshot(cup, at)
        if told := release_deferred(at, of=cup):
            self._told(at, f"the night is over somewhere: {amount(told, 'notice')} told")
        finish(cup, at)

    def _snapshot(self, cup: Competition, at: datetime) -> None:
        due_at = latest_due_time(cup, at)
        if due_at is None or Snapshot.objects.filter(competition=cup, due_at=due_at).exists():
            return
        with transaction.atomic():
            taken = take_snapshot(cup, due_at, at)
            told = compare(taken.pk, at) if taken else 0
        self.record.ranks[due_at] = ranking(self.record.counted)
        if told:
            self._told(at, f"told of a place won or lost: {amount(told, 'player')}")

    # -- what the participants do --------------------------------------------------------------

    def _play(self, nth: int, at: datetime) -> None:
        """Some participants score, some in the same second; some scores are sent again."""
        sent: list[dict[str, Any]] = []
        for turn, minutes in enumerate((5, 5, 20)):
            playing = self._dice.sample(self.record.taking_part, k=max(1, self._count // 10))
            new = [self._entry(player, nth, turn) for player in playing]
            self._game.send(new + self._dice.sample(sent, k=len(sent) // 4), at + timedelta(minutes=minutes))
            sent += new

    def _entry(self, player: str, nth: int, turn: int) -> dict[str, Any]:
        """Return a score from a small range, so that there are ties; it grows with time, so that players overtake."""
        points = self._dice.randint(0, 40 + 2 * nth + self._dice.choice((0, 0, 0, 60)))
        return self._game.entry(player, points, f"{nth}-{turn}-{player}")
