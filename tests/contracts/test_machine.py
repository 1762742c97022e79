"""Boards under arbitrary histories: one state machine per storage, which draws form, order, policy and ties.

Every step is done to the board and to the oracle; both must agree on every outcome, and on the list after it.
"""

from contextlib import suppress
from unittest.mock import patch

import pytest
from hypothesis import assume
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from leaderboards import selectors
from leaderboards.core.ranking.rules import Order, Ties, Update
from leaderboards.errors import BadBoard
from leaderboards.models import Board, Period, Player, ScoreRanges, Standing, Submission
from leaderboards.services.boards import save_board
from leaderboards.services.sync import score_ranges
from leaderboards.services.sync.resync_periods import PeriodResync, resync_due
from leaderboards.services.sync.score_ranges import follow
from leaderboards.services.sync.verify import verify_all
from tests.cluster_nodes import move_slot, silent_node
from tests.contracts.arena import NOW, Arena, Sent
from tests.contracts.forms import FORMS, Form
from tests.contracts.machines import play
from tests.contracts.storages import COMPLETE, STORAGES, can
from tests.links import forget_links
from tests.raw import boards_redis, empty_boards, is_cluster

pytestmark = [pytest.mark.contract, pytest.mark.hypothesis, pytest.mark.django_db(transaction=True)]

SHAPES = [(form, update, ties) for form in FORMS for update in form.updates for ties in form.ties]
PLAYERS = st.sampled_from(("a", "B", "b_", "ä", "가", "0_1"))
AGO = st.sampled_from((0, 1, 2, 999, 1000, 1001, 60_000))
IDS = st.none() | st.sampled_from(("x", "y", "z"))
ENTRIES = st.lists(st.builds(Sent, PLAYERS, st.integers(0, 9), AGO, IDS, st.none()), min_size=1, max_size=6)


class BoardMachine(RuleBasedStateMachine):
    """What may happen to a board. ``storage``, ``partitions`` and ``encoding`` are the subclass's."""

    storage: str
    partitions = 1
    encoding = "plain"

    @initialize(shape=st.sampled_from(SHAPES), order=st.sampled_from(Order), score_ranges=st.booleans())
    def open(self, shape: tuple[Form, Update, Ties], order: Order, score_ranges: bool) -> None:
        form, update, ties = shape
        ties = ties if can(self.storage, ties) else Ties.SHARED
        assume(ties is not Ties.DENSE or self.partitions == 1 or form.has_levels)
        assume(self.encoding == "plain" or form.may_be_compact(ties))
        may_have_ranges = self.partitions > 1 and self.encoding == "plain" and ties is not Ties.DENSE
        self.arena = Arena.open(
            form,
            self.storage,
            order,
            update,
            ties,
            partitions=self.partitions,
            encoding=self.encoding,
            score_ranges=score_ranges and may_have_ranges,
        )
        self.copied = self.storage in COMPLETE

    @rule(sent=ENTRIES, ranks=st.booleans())
    def submit(self, sent: list[Sent], ranks: bool) -> None:
        if self.partitions > 1 and self.storage == "redis":  # an id is used once by each player
            sent = [each._replace(id=each.id and f"{each.player} {each.id}") for each in sent]
        self.arena.send(*sent, ranks=ranks)
        self.copied = self.storage in ("sql", "hybrid")

    @rule(sent=ENTRIES)
    def send_again(self, sent: list[Sent]) -> None:
        """The same request twice, as a game server does that heard no answer: the second with ids changes nothing."""
        named = [each._replace(id=f"{each}") for each in sent]
        self.submit(named, ranks=False)
        before = self.arena.oracle.rows()
        self.submit(named, ranks=False)
        assert self.arena.oracle.rows() == before

    @rule(player=PLAYERS)
    def remove(self, player: str) -> None:
        self.arena.remove(player)
        self.copied = self.storage in ("sql", "hybrid")

    @rule()
    def mirror(self) -> None:
        self.arena.mirror()
        self.copied = self.storage in COMPLETE

    @rule()
    def read_everything(self) -> None:
        self.arena.agree()

    @precondition(lambda self: self.partitions > 1)
    @rule()
    def follow(self) -> None:
        """Score ranges follow; until somebody is moved, they answer."""
        self.arena.follow()

    @precondition(lambda self: self.partitions > 1)
    @rule(sent=ENTRIES)
    def re_cut(self, sent: list[Sent]) -> None:
        """Score ranges are cut anew, while somebody scores."""
        self.arena.follow()
        with patch.object(score_ranges, "is_hot", return_value=True):
            ScoreRanges.objects.update(cut_at=None)
            for _ in range(2 * self.arena.period.has_score_ranges):
                follow(self.arena.period, NOW)
        self.submit(sent, ranks=False)
        self.arena.follow()

    @precondition(lambda self: self.storage in ("hybrid", "redis"))
    @rule()
    def settle_what_is_marked_stale(self) -> None:
        self._mark_stale()
        self._settle()

    @precondition(lambda self: self.storage == "hybrid")
    @rule(sent=ENTRIES)
    def submit_while_stale(self, sent: list[Sent]) -> None:
        """Writes go on; reads come from SQL and say so; settling brings all of it to Redis."""
        self._mark_stale()
        self.arena.send(*sent)
        self.arena.agree_on_the_list(live=False)
        self._settle()

    @precondition(lambda self: self.storage == "hybrid" or (self.storage == "redis" and self.copied))
    @rule()
    def lose_the_memory(self) -> None:
        empty_boards()
        self.arena.agree_on_the_list(live=False)
        resync_due(NOW)
        self.arena.period.refresh_from_db()
        if self.storage == "redis":
            self.arena.ids.clear()  # a redis board that lost its memory lost its ids too

    @precondition(lambda self: self.partitions > 1 and (self.storage == "hybrid" or self.copied))
    @rule(number=st.integers(0, 15))
    def lose_the_memory_of_a_partition(self, number: int) -> None:
        lost = self.arena.period.parts[number % self.partitions]
        with boards_redis() as client:
            client.delete(*lost.family.all_keys)
        self.arena.agree_on_the_list(live=False)
        assert resync_due(NOW) == 1
        self.arena.period.refresh_from_db()

    @precondition(lambda self: self.storage == "hybrid")
    @rule(count=st.sampled_from((1, 4, 16)))
    def divide_the_board_anew(self, count: int) -> None:
        """The running period keeps the number that it began with, whatever its board says of the next."""
        self.arena.board.partitions = count
        with suppress(BadBoard):  # dense ranks of too many values; an all-time board, whose period never ends
            save_board(self.arena.board, NOW)
        self.arena.board.refresh_from_db()
        self.arena.period.refresh_from_db()
        assert len(self.arena.period.parts) == self.partitions

    @precondition(lambda self: is_cluster() and self.storage in ("hybrid", "redis"))
    @rule(number=st.integers(0, 15))
    def move_a_slot(self, number: int) -> None:
        """A family goes to another node of the cluster, with all that it has; the process finds out by itself."""
        move_slot(self.arena.period.parts[number % self.partitions].family.zset)

    @precondition(lambda self: is_cluster() and self.partitions > 1)
    @rule(number=st.integers(0, 15))
    def read_while_a_node_is_silent(self, number: int) -> None:
        """What the others have is shown, and no rank is guessed."""
        rows = {row.player: self.arena.rules.shown(row.value) for row in self.arena.oracle.rows()}
        with silent_node(self.arena.period.parts[number % self.partitions].family.zset):
            found = selectors.standings(self.arena.board, self.arena.period.label, 0, len(rows) + 6)
        forget_links()
        assert (found.complete, found.live) == (False, False)
        assert len(found.rows) == found.total <= len(rows)
        for row in found.rows:
            assert (row.rank, (row.points, row.fields)) == (None, rows[row.player])

    @precondition(lambda self: self.encoding == "compact")
    @rule(key=st.sampled_from(("zset", "members")), sent=ENTRIES, number=st.integers(0, 15))
    def lose_half_of_the_memory(self, key: str, sent: list[Sent], number: int) -> None:
        """A tree without its numbers, or the other way round, is found out by a write, or when all is told again."""
        lost = self.arena.period.parts[number % self.partitions]
        with boards_redis() as client:
            client.delete(getattr(lost.family, key))
        self.arena.send(*sent)
        verify_all(NOW, 60.0)
        resync_due(NOW)
        self.arena.period.refresh_from_db()

    @invariant()
    def the_list_is_the_oracles(self) -> None:
        if hasattr(self, "arena"):
            self.arena.agree_on_the_list()
            if self.copied:
                self.arena.agree_in_sql()

    def teardown(self) -> None:
        for model in (Submission, Standing, Period, Board, Player):
            model.objects.all().delete()

    def _mark_stale(self) -> None:
        for part in self.arena.period.parts:
            part.as_queryset.update(stale_since=NOW)
        Period.objects.filter(pk=self.arena.period.pk).update(stale_since=NOW)

    def _settle(self) -> None:
        for part in self.arena.period.parts:
            assert PeriodResync(part).resync()
        self.arena.period.refresh_from_db()
        assert self.arena.period.stale_since is None


@pytest.mark.parametrize("storage", STORAGES)
def test_a_board_agrees_with_the_oracle_after_every_step(links: None, storage: str) -> None:
    play(type(f"{storage.title()}Machine", (BoardMachine,), {"storage": storage}))


@pytest.mark.parametrize("partitions", [4, 16])
@pytest.mark.parametrize("storage", ["hybrid", "redis"])
def test_a_divided_board_agrees_with_the_oracle_after_every_step(links: None, storage: str, partitions: int) -> None:
    name = f"{storage.title()}In{partitions}Machine"
    play(type(name, (BoardMachine,), {"storage": storage, "partitions": partitions}))


@pytest.mark.parametrize("partitions", [1, 4])
def test_a_compact_board_agrees_with_the_oracle_after_every_step(links: None, partitions: int) -> None:
    kind = {"storage": "hybrid", "partitions": partitions, "encoding": "compact"}
    play(type(f"CompactIn{partitions}Machine", (BoardMachine,), kind))
