"""Boards under arbitrary histories: one state machine per storage, which draws form, order, policy and ties.

Every step is done to the board and to the oracle; both must agree on every outcome, and on the list after it.
"""

import os

import pytest
import redis
from django.conf import settings
from hypothesis import HealthCheck
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from leaderboards import selectors
from leaderboards.core.rules import Order
from leaderboards.models import Board, Period, Player, Standing, Submission
from leaderboards.services.settle import mark_strangers, settle
from tests.contracts.arena import NOW, Arena, Sent
from tests.contracts.forms import FORMS

pytestmark = [pytest.mark.contract, pytest.mark.django_db(transaction=True)]

PLAYERS = st.sampled_from(("a", "B", "b_", "ä", "가", "0_1"))
AGO = st.sampled_from((0, 1, 2, 999, 1000, 1001, 60_000))
IDS = st.none() | st.sampled_from(("x", "y", "z"))
ENTRIES = st.lists(st.builds(Sent, PLAYERS, st.integers(0, 9), AGO, IDS), min_size=1, max_size=6)


class BoardMachine(RuleBasedStateMachine):
    """What may happen to a board. ``storage`` is the subclass's."""

    storage: str

    @initialize(data=st.data(), form=st.sampled_from(FORMS), order=st.sampled_from(Order))
    def open(self, data: st.DataObject, form: object, order: Order) -> None:
        chosen = next(each for each in FORMS if each is form)
        update = data.draw(st.sampled_from(chosen.updates))
        ties = data.draw(st.sampled_from(chosen.ties))
        self.arena = Arena.open(chosen, self.storage, order, update, ties)
        self.copied = True

    @rule(sent=ENTRIES, ranks=st.booleans())
    def submit(self, sent: list[Sent], ranks: bool) -> None:
        self.arena.send(*sent, ranks=ranks)
        self.copied = self.storage != "redis"

    @rule(sent=ENTRIES)
    def send_again(self, sent: list[Sent]) -> None:
        """The same request twice, as a game server does that heard no answer: the second with ids changes nothing."""
        named = [each._replace(id=f"{each}") for each in sent]
        self.arena.send(*named)
        before = self.arena.oracle.rows()
        self.arena.send(*named)
        self.copied = self.storage != "redis"
        assert self.arena.oracle.rows() == before

    @rule(player=PLAYERS)
    def remove(self, player: str) -> None:
        self.arena.remove(player)
        self.copied = self.storage != "redis"

    @rule()
    def mirror(self) -> None:
        self.arena.mirror()
        self.copied = True

    @rule(player=PLAYERS)
    def read_everything(self, player: str) -> None:
        self.arena.agree()
        page = selectors.board_page(self.arena.board, self.arena.period.label, 0, 3, player)
        assert page.standings.rows == selectors.standings(self.arena.board, self.arena.period.label, 0, 3).rows
        assert (page.me is not None) == (self.arena.oracle.state(player) is not None)

    @precondition(lambda self: self.storage != "sql")
    @rule()
    def settle_what_is_marked_stale(self) -> None:
        Period.objects.filter(pk=self.arena.period.pk).update(stale_since=NOW)
        self._settle()

    @precondition(lambda self: self.storage == "hybrid")
    @rule(sent=ENTRIES)
    def submit_while_stale(self, sent: list[Sent]) -> None:
        """Writes go on, unput; reads come from SQL and say so; settling brings all of it to Redis."""
        Period.objects.filter(pk=self.arena.period.pk).update(stale_since=NOW)
        self.arena.send(*sent)
        self.arena.agree_on_the_list(live=False)
        self._settle()

    @precondition(lambda self: self.storage == "hybrid" or (self.storage == "redis" and self.copied))
    @rule()
    def lose_the_memory(self) -> None:
        with redis.Redis.from_url(settings.REDIS_URL) as client:
            client.flushdb()
        self.arena.agree_on_the_list(live=False)
        mark_strangers(NOW)
        self._settle()
        if self.storage == "redis":
            self.arena.ids.clear()  # a redis board that lost its memory lost its ids too

    @invariant()
    def the_list_is_the_oracles(self) -> None:
        if hasattr(self, "arena"):
            self.arena.agree_on_the_list()
            if self.copied:
                self.arena.agree_in_sql()

    def teardown(self) -> None:
        for model in (Submission, Standing, Period, Board, Player):
            model.objects.all().delete()

    def _settle(self) -> None:
        assert settle(self.arena.period.pk)
        self.arena.period.refresh_from_db()


BOUNDED = hypothesis_settings(
    max_examples=int(os.environ.get("MACHINE_EXAMPLES", "12")),
    stateful_step_count=12,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
)


@pytest.mark.parametrize("storage", ["sql", "hybrid", "redis"])
def test_a_board_agrees_with_the_oracle_after_every_step(links: None, storage: str) -> None:
    machine = type(f"{storage.title()}Machine", (BoardMachine,), {"storage": storage})

    run_state_machine_as_test(machine, settings=BOUNDED)
