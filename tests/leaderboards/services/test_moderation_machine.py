"""Any order of submissions, voids, restorings, edits, purges, removals, hides, shadows, bans, their ends, and of the
undoing of these from the log, also of what was undone, leaves exactly the ranks of a naive recomputation, on every
storage, for everybody and for the shadowed; where Redis decides, of what can be done there.
"""

from unittest.mock import patch

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import initialize, precondition, rule

from foundation.audit.models import AuditEntry
from foundation.audit.undo import NotUndoable, undo
from leaderboards.core.instants import milliseconds
from leaderboards.core.ranking.policies import StandingState
from leaderboards.core.ranking.rules import Ties
from leaderboards.errors import NewerEditExists, StandingChanged
from leaderboards.models import Player, Submission
from leaderboards.selectors.moderation import purges
from leaderboards.selectors.moderation.purges import PurgeRange
from leaderboards.services.moderation.edit import EditedValue, edit_submission
from leaderboards.services.moderation.purge import request_purge
from leaderboards.services.moderation.run_purge import run_due
from leaderboards.services.moderation.set_standing import StandingChange, set_standing, standing_in_redis
from leaderboards.services.moderation.unvoid import unvoid_by_hand
from leaderboards.services.moderation.void import void_by_hand
from tests.contracts.machines import play
from tests.leaderboards.services.moderated import Kept, NaivePurge
from tests.leaderboards.services.moderating import NTH, NUMBERS, PLAYERS, SECOND, WHO, Moderated
from tests.leaderboards.services.site import NOON

pytestmark = [pytest.mark.contract, pytest.mark.hypothesis]


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
        assert void_by_hand(submission, "why", self.later(), None) is not row.is_void
        if not row.is_void:
            self.naive.judge(AuditEntry.objects.latest("pk").pk, row, self.step, to_void=True)

    @precondition(lambda self: self.naive.rows)
    @rule(nth=NTH)
    def restore(self, nth: int) -> None:
        row, submission = self.some(nth)
        assert unvoid_by_hand(submission, "why", self.later(), None) is row.is_void
        if row.is_void:
            self.naive.judge(AuditEntry.objects.latest("pk").pk, row, self.step, to_void=False)

    @precondition(lambda self: self.naive.judged)
    @rule(nth=NTH)
    def undo_a_void_or_a_restoring(self, nth: int) -> None:
        judged = self.naive.judged[nth % len(self.naive.judged)]
        if not self.naive.can_undo_judging(judged):
            with pytest.raises(NotUndoable):
                undo(judged.entry, "why", self.later(), None)
            return
        judged.is_undone = True
        entry = undo(judged.entry, "why", self.later(), None)
        self.naive.judge(entry.pk, judged.row, self.step, to_void=not judged.to_void)

    @precondition(lambda self: self.naive.rows)
    @rule(nth=NTH, number=NUMBERS)
    def edit(self, nth: int, number: int) -> None:
        row, submission = self.some(nth)
        edit = edit_submission(submission, EditedValue(number), "why", self.later(), None)
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
            with pytest.raises(NewerEditExists):
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
        chosen = PurgeRange(
            NOON + since * SECOND,
            NOON + until * SECOND,
            Player.objects.get(external_id=player).pk if player else None,
            self.board.seq,
            service,
        )
        with patch.object(purges, "IN_FLIGHT_MARGIN", 0 * SECOND):  # nobody is sending meanwhile
            purge = request_purge(chosen, "why", now, None)
        entry = AuditEntry.objects.latest("pk").pk
        self.naive.purges.append(NaivePurge(purge.pk, entry, since, until, player, service, self.step))

    @rule()
    def work(self) -> None:
        run_due(self.later(), 60.0)
        self.naive.work(self.step)

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
        self.set: list[tuple[int, str, StandingState | None, StandingState | None]] = []

    def state(self, player: str) -> StandingState | None:
        """Where the player stands."""
        states = self.naive.counting(player)
        self.naive.board.counted = {player: states} if states else {}
        return self.naive.board.state(player)

    def put(self, player: str, state: StandingState | None) -> None:
        """Let all that went before be as if it had never been, but for this."""
        self.naive.remove(player)
        if state is not None:
            self.naive.rows.append(Kept(0, player, state.value, state.at_ms, self.step, "by hand"))

    @rule(player=PLAYERS, number=st.none() | NUMBERS)
    def set_or_remove(self, player: str, number: int | None) -> None:
        at, before = self.later(), self.state(player)
        at_ms = self.period.layout.quantize(milliseconds(at))
        after = None if number is None else StandingState((number,), at_ms)
        seen = standing_in_redis(self.period, player)
        assert seen.state == before
        who = Player.objects.get(external_id=player)
        assert set_standing(StandingChange(self.period.pk, who, after, seen.score), "why", at, None) is (
            before != after
        )
        if before != after:
            self.set.append((AuditEntry.objects.latest("pk").pk, player, before, after))
            self.put(player, after)

    @precondition(lambda self: self.set)
    @rule(nth=NTH)
    def undo_a_setting(self, nth: int) -> None:
        entry, player, before, after = self.set[nth % len(self.set)]
        if self.state(player) != after:
            with pytest.raises(
                (StandingChanged, NotUndoable)
            ):  # the latter where a removal brought back what was before
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
