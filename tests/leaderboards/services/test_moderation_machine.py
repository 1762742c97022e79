"""Any order of submissions, voids, restorings, edits, purges, their undoing, removals, bans and lifts leaves exactly
the ranks of a naive recomputation, on every storage; where Redis decides, of what can be done there.

What hides players in other ways belongs into ``Naive.hidden``, with a rule here.
"""

from datetime import datetime, timedelta
from typing import Any

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from foundation.audit.models import AuditEntry
from foundation.audit.undo import undo
from leaderboards import selectors
from leaderboards.core.entries import read_entry
from leaderboards.core.instants import milliseconds
from leaderboards.core.policies import State
from leaderboards.core.rules import Order, Ties, Update
from leaderboards.core.submissions import Caller
from leaderboards.errors import EditedSince, NotRanked, StandingMoved
from leaderboards.models import Board, Period, Player, Purge, Standing, Submission
from leaderboards.selectors.purging import Range
from leaderboards.services.ban import ban, lift
from leaderboards.services.edit import Worth, edit_submission
from leaderboards.services.purge import ask_purge
from leaderboards.services.remove import remove_player
from leaderboards.services.run_purge import run_due
from leaderboards.services.set_standing import Setting, set_standing, standing_in_redis
from leaderboards.services.submit import submit
from leaderboards.services.unvoid import unvoid_by_hand
from leaderboards.services.void import void_by_hand
from tests.contracts.machines import play
from tests.leaderboards.factories import PlayerFactory
from tests.leaderboards.services.moderated import Kept, Naive, NaivePurge
from tests.leaderboards.services.site import NOON, follow, in_redis, in_sql, make_board, period_of
from tests.oracle import OracleBoard

pytestmark = [pytest.mark.contract, pytest.mark.hypothesis]

WHO = ("a", "B", "ä", "가")
PLAYERS = st.sampled_from(WHO)
SERVICES = st.sampled_from(("one", "two"))
NUMBERS = st.integers(0, 9)
NTH = st.integers(0, 99)
SECOND = timedelta(seconds=1)


class Moderated(RuleBasedStateMachine):
    """A board of any storage: scores, bans, and the comparison. Each step is a second later than the one before."""

    storage: str
    ties: tuple[Ties, ...] = tuple(Ties)

    @initialize(order=st.sampled_from(Order), update=st.sampled_from(Update), data=st.data())
    def open(self, order: Order, update: Update, data: st.DataObject) -> None:
        ties = data.draw(st.sampled_from(self.ties))
        wide: dict[str, Any] = {"minimum": 0, "maximum": 10**6, "total_maximum": 10**6}
        rules: dict[str, Any] = {"order": order.value, "update": update.value, "ties": ties.value}
        self.board = make_board(
            self.storage, period="all_time", **rules, **(wide if update is Update.INCREMENT else {})
        )
        self.period = period_of(self.board)
        self.naive = Naive(OracleBoard(self.period.rules, self.period.window))
        self.step = 0
        for name in WHO:
            PlayerFactory.create(external_id=name)

    @property
    def now(self) -> datetime:
        return NOON + self.step * SECOND

    def later(self) -> datetime:
        """The moment of the next step."""
        self.step += 1
        return self.now

    @rule(players=st.lists(PLAYERS, min_size=1, max_size=4), number=NUMBERS, ago=st.integers(0, 2), service=SERVICES)
    def score(self, players: list[str], number: int, ago: int, service: str) -> None:
        at = self.later()
        happened = at - ago * SECOND
        raw = {"board": self.board.seq, "points": number, "at": happened.isoformat()}
        entries = [read_entry({**raw, "player": name}, nth) for nth, name in enumerate(players)]
        before = Submission.objects.order_by("-pk").values_list("pk", flat=True).first() or 0

        outcomes = submit(entries, Caller(service), at)

        assert [each.status.is_accepted for each in outcomes] == [name not in self.naive.banned for name in players]
        at_ms = self.period.layout.quantize(milliseconds(happened))
        new = iter(Submission.objects.filter(pk__gt=before).order_by("pk").values_list("pk", flat=True))
        for name in players:
            if name not in self.naive.banned:
                self.naive.rows.append(Kept(next(new, 0), name, (number,), at_ms, self.step, service))

    @rule(player=PLAYERS)
    def ban_or_let_in(self, player: str) -> None:
        deed = lift if player in self.naive.banned else ban
        assert deed([Player.objects.get(external_id=player).pk], "why", self.later(), None)
        self.naive.banned ^= {player}

    @rule(player=PLAYERS)
    def take_out(self, player: str) -> None:
        if self.naive.counting(player):
            remove_player(self.board, player, self.later())
            self.naive.remove(player)
        else:
            with pytest.raises(NotRanked):
                remove_player(self.board, player, self.later())

    @invariant()
    def ranks_are_those_of_a_naive_recomputation(self) -> None:
        if not hasattr(self, "naive"):
            return
        expected = [(row.rank, row.player, row.value[0], row.tied) for row in self.naive.ranks()]
        found = selectors.standings(self.board, self.period.label, 0, 50)
        assert [(row.rank, row.player, row.points, row.tied) for row in found.rows] == expected
        follow(self.period)
        assert self.storage == "sql" or in_redis(self.period) == in_sql(self.period)

    def teardown(self) -> None:
        AuditEntry.objects.all().delete()
        Purge.objects.all().delete()
        for model in (Submission, Standing, Period, Board, Player):
            model.objects.all().delete()


class KeepsSubmissions(Moderated):
    """hybrid and sql: what is done to submissions, by hand and by purges, and its undoing."""

    def some(self, nth: int) -> tuple[Kept, Submission]:
        """One of the submissions."""
        row = self.naive.rows[nth % len(self.naive.rows)]
        return row, Submission.objects.select_related("period__board", "player").get(pk=row.pk)

    @precondition(lambda self: self.naive.rows)
    @rule(nth=NTH)
    def void(self, nth: int) -> None:
        row, submission = self.some(nth)
        void_by_hand(submission, "why", self.later(), None)
        self.naive.void(row)

    @precondition(lambda self: self.naive.rows)
    @rule(nth=NTH)
    def restore(self, nth: int) -> None:
        row, submission = self.some(nth)
        assert unvoid_by_hand(submission, "why", self.later(), None) is row.is_void
        if row.is_void:
            self.naive.restore(row)

    @precondition(lambda self: self.naive.rows)
    @rule(nth=NTH, number=NUMBERS)
    def edit(self, nth: int, number: int) -> None:
        row, submission = self.some(nth)
        edit = edit_submission(submission, Worth(number), "why", self.later(), None)
        assert (edit is None) is (row.value == (number,))
        if edit is not None:
            row.edits.append((edit.entry, row.value))
            row.value = (number,)

    @precondition(lambda self: any(row.edits for row in self.naive.rows))
    @rule(nth=NTH, of=NTH)
    def undo_an_edit(self, nth: int, of: int) -> None:
        edited = [row for row in self.naive.rows if row.edits]
        row = edited[nth % len(edited)]
        place = of % len(row.edits)
        entry, value = row.edits[place]
        if place < len(row.edits) - 1:
            with pytest.raises(EditedSince):
                undo(entry, "why", self.later(), None)
            return
        undo(entry, "why", self.later(), None)
        row.edits.pop()
        row.value = value

    @rule(since=st.integers(0, 12), seconds=st.integers(1, 8), player=st.sampled_from(("", *WHO)), data=st.data())
    def ask_for_a_purge(self, since: int, seconds: int, player: str, data: st.DataObject) -> None:
        service, now = data.draw(st.sampled_from(("", "one", "two"))), self.later()
        until = min(since + seconds, self.step)
        since = min(since, until - 1)
        chosen = Range(
            NOON + since * SECOND,
            NOON + until * SECOND,
            Player.objects.get(external_id=player).pk if player else None,
            self.board.seq,
            service,
        )
        purge = ask_purge(chosen, "why", now, None)
        entry = AuditEntry.objects.latest("pk").pk
        self.naive.purges.append(NaivePurge(purge.pk, entry, since, until, player, service))

    @rule()
    def work(self) -> None:
        run_due(self.later(), 60.0)
        self.naive.work()

    @precondition(lambda self: any(not purge.to_undo for purge in self.naive.purges))
    @rule(nth=NTH)
    def undo_a_purge(self, nth: int) -> None:
        standing = [purge for purge in self.naive.purges if not purge.to_undo]
        purge = standing[nth % len(standing)]
        undo(purge.entry, "why", self.later(), None)
        purge.to_undo = True


class KeepsStandings(Moderated):
    """redis: standings are set and removed, and that is undone while nothing came after it."""

    ties = (Ties.FIRST_COME, Ties.LAST_COME)

    @initialize()
    def begin(self) -> None:
        self.set: list[tuple[int, str, State | None, State | None]] = []

    def state(self, player: str) -> State | None:
        """Where the player stands."""
        states = self.naive.counting(player)
        self.naive.board.counted = {player: states} if states else {}
        return self.naive.board.state(player)

    def put(self, player: str, state: State | None) -> None:
        """Let all that went before be as if it had never been, but for this."""
        self.naive.remove(player)
        if state is not None:
            self.naive.rows.append(Kept(0, player, state.value, state.at_ms, self.step, "by hand"))

    @rule(player=PLAYERS, number=st.none() | NUMBERS)
    def set_or_remove(self, player: str, number: int | None) -> None:
        at, before = self.later(), self.state(player)
        at_ms = self.period.layout.quantize(milliseconds(at))
        after = None if number is None else State((number,), at_ms)
        seen = standing_in_redis(self.period, player)
        assert seen.state == before
        who = Player.objects.get(external_id=player)
        assert set_standing(Setting(self.period.pk, who, after, seen.score), "why", at, None) is (before != after)
        if before != after:
            self.set.append((AuditEntry.objects.latest("pk").pk, player, before, after))
            self.put(player, after)

    @precondition(lambda self: self.set)
    @rule(nth=NTH)
    def undo_a_setting(self, nth: int) -> None:
        entry, player, before, after = self.set[nth % len(self.set)]
        if self.state(player) != after:
            with pytest.raises(StandingMoved):
                undo(entry, "why", self.later(), None)
            return
        undo(entry, "why", self.later(), None)
        self.set.remove((entry, player, before, after))
        self.put(player, before)


@pytest.mark.parametrize(
    ("storage", "machine"), [("sql", KeepsSubmissions), ("hybrid", KeepsSubmissions), ("redis", KeepsStandings)]
)
def test_ranks_are_those_of_a_naive_recomputation_whatever_moderators_do(
    storage: str, machine: type[Moderated]
) -> None:
    play(type(f"{storage.title()}Moderated", (machine,), {"storage": storage}))
