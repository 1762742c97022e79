"""The machine that plays moderators of a board on any storage: what is common to all, and what readers must see.

After each step it compares the list, its total, one player's rank, and what each of the shadowed sees, with ``Naive``.
"""

from datetime import datetime, timedelta
from typing import Any

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from foundation.audit.models import AuditEntry
from foundation.audit.undo import NotUndoable, undo
from leaderboards import selectors
from leaderboards.core.input.entries import read_entry
from leaderboards.core.instants import milliseconds
from leaderboards.core.ranking.rules import Order, Ties, Update
from leaderboards.core.submissions import Caller
from leaderboards.errors import NotRanked
from leaderboards.models import Board, Period, Player, Purge, Standing, Submission
from leaderboards.selectors.rankings.standings import Standings
from leaderboards.selectors.visibility.hidden import clear_hidden_cache
from leaderboards.selectors.visibility.restrictions import viewing_as
from leaderboards.services.moderation.remove import remove_player
from leaderboards.services.submit.decide_redis import forget_bans
from leaderboards.services.submit.pipeline import submit
from tests.leaderboards.factories import PlayerFactory
from tests.leaderboards.services.moderated import Kept, Naive
from tests.leaderboards.services.restricting import WAYS_ON_A_BOARD, keep_out, let_back_from
from tests.leaderboards.services.site import NOON, follow, in_redis, in_sql, make_board, period_of
from tests.oracle import OracleBoard, Row

WHO = ("a", "B", "ä", "가")
PLAYERS = st.sampled_from(WHO)
SERVICES = st.sampled_from(("one", "two"))
NUMBERS = st.integers(0, 9)
NTH = st.integers(0, 99)
SECOND = timedelta(seconds=1)


class Moderated(RuleBasedStateMachine):
    """A board of any storage: scores, what keeps players out, and the comparison. Steps are a second apart."""

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

        assert [each.status.is_accepted for each in outcomes] == [not self.naive.refused(name) for name in players]
        at_ms = self.period.layout.quantize(milliseconds(happened))
        new = iter(Submission.objects.filter(pk__gt=before).order_by("pk").values_list("pk", flat=True))
        for name in players:
            if not self.naive.refused(name):
                self.naive.rows.append(Kept(next(new, 0), name, (number,), at_ms, self.step, service))

    @rule(player=PLAYERS, how=st.sampled_from(WAYS_ON_A_BOARD))
    def keep_out_or_let_back(self, player: str, how: str) -> None:
        act = let_back_from if (player, how) in self.naive.out else keep_out
        act(how, self.board, player, at=self.later())
        self.naive.keep_out_or_let_back(AuditEntry.objects.latest("pk").pk, player, how)

    @precondition(lambda self: self.naive.actions)
    @rule(nth=NTH)
    def undo_keeping_out_or_letting_back(self, nth: int) -> None:
        action = self.naive.actions[nth % len(self.naive.actions)]
        if not self.naive.can_undo(action):
            with pytest.raises(NotUndoable):
                undo(action.entry, "why", self.later(), None)
            return
        action.is_undone = True
        self.naive.keep_out_or_let_back(undo(action.entry, "why", self.later(), None).pk, action.player, action.how)

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
        expected = self.naive.ranks()
        assert _read(selectors.standings(self.board, self.period.label, 0, 50)) == _wanted(expected)
        self.one_player_is_told_their_rank_or_that_they_have_none()
        self.the_shadowed_see_themselves()
        follow(self.period)
        assert self.storage == "sql" or in_redis(self.period) == in_sql(self.period)
        clear_hidden_cache()  # who is out stands as SQL knows it, and that is remembered for a second
        assert selectors.standings(self.board, self.period.label, 0, 1).total == len(expected)

    def one_player_is_told_their_rank_or_that_they_have_none(self) -> None:
        player = WHO[self.step % len(WHO)]
        expected = [row.rank for row in self.naive.ranks() if row.player == player]
        if expected:
            assert [selectors.player_row(self.board, player, self.period.label).row.rank] == expected
        else:
            with pytest.raises(NotRanked):
                selectors.player_row(self.board, player, self.period.label)

    def the_shadowed_see_themselves(self) -> None:
        told = {row.player: row.rank for row in self.naive.ranks()}
        for player in filter(self.naive.shadowed, WHO):
            own = self.naive.ranks(viewer=player)
            with viewing_as(player):
                assert _read(selectors.standings(self.board, self.period.label, 0, 50)) == _wanted(own)
            told |= {row.player: row.rank for row in own if row.player == player}
        assert selectors.ranks(self.period, WHO) == told

    def teardown(self) -> None:
        AuditEntry.objects.all().delete()
        Purge.objects.all().delete()
        for model in (Submission, Standing, Period, Board, Player):
            model.objects.all().delete()
        forget_bans()


def _read(found: Standings) -> list[tuple[object, ...]]:
    return [(row.rank, row.player, row.points, row.tied) for row in found.rows]


def _wanted(rows: list[Row]) -> list[tuple[object, ...]]:
    return [(row.rank, row.player, row.value[0], row.tied) for row in rows]
