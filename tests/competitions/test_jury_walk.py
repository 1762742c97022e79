"""Whatever players, admins and judges do in whatever order: standings, revisions, rewards and notices are the record's.

A walk draws acts at random, a few minutes apart, from the first to the last state; the schedule runs now and then. What
must have come of it is worked out from the record alone (``record.py``).
"""

import random
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime, timedelta
from decimal import Decimal

import pytest
from django.utils.module_loading import import_string

from competitions.core.lifecycle import Phase
from competitions.errors import NotEarned
from competitions.management.expected import Prize
from competitions.models import Competition, Participant, RewardGrant, RewardTier
from competitions.services.lifecycle.change_end import change_end
from competitions.services.lifecycle.confirm import confirm
from competitions.services.lifecycle.freeze import reveal
from competitions.services.notices.preferences import NoticeSettings, save_preference
from competitions.services.participants.bring_back import bring_back
from competitions.services.participants.disqualify import disqualify, reinstate
from competitions.services.participants.join import join, leave
from competitions.services.results.judge import unvoid, void
from competitions.services.results.late_scores import LateScore, accept_late
from competitions.services.rewards.staff_revocation import Reallocation, restore_by_staff, revoke_by_staff
from config.schedule import SCHEDULE
from foundation import clock
from leaderboards.models import Player, Submission
from leaderboards.selectors.visibility.hidden import clear_hidden_cache
from leaderboards.services.submit.decide_redis import forget_bans
from tests.competitions.compared import compare_notices, compare_revised, compare_revisions, compare_rewards
from tests.competitions.record import Entered, Record
from tests.competitions.services.telling import listening
from tests.competitions.site import MINUTE, START, make_board, open_competition, player, ranks, reloaded, score

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]

LENGTH, REVIEW_HOURS = timedelta(minutes=100), 2
PLAYERS = [f"p{nth}" for nth in range(9)]
PRIZES = (Prize("Gold", "rank", 1), Prize("Podium", "rank", 3, from_rank=2), Prize("Forty", "points", 40))
SCHEDULED = ("heartbeat", "mirror", "advance_competitions", "tell", "reward")


class Walk:
    """One walk over a competition. ``set_clock`` makes it any moment for everything that asks."""

    def __init__(self, storage: str, seed: int, set_clock: Callable[[datetime], None]) -> None:
        self.dice = random.Random(seed)
        self.at, self._set_clock = START - 20 * MINUTE, set_clock
        stays_empty = self.dice.random() < 0.4
        self.record = Record(stays_empty=stays_empty)
        self.steps: list[str] = []
        set_clock(self.at)
        listening()
        freeze = self.dice.choice([None, 45])
        self.number = open_competition(
            make_board(storage),
            ends_at=START + LENGTH,
            freeze_minutes=freeze,
            review_hours=REVIEW_HOURS,
            vacated_places="stay_empty" if stays_empty else "close_up",
        ).pk
        for prize in PRIZES:
            RewardTier.objects.create(
                competition=self.cup, name=prize.name, kind=prize.kind, from_rank=prize.from_rank, limit=prize.limit
            )

    @property
    def cup(self) -> Competition:
        """It, as it is now."""
        return reloaded(Competition(pk=self.number))

    def go(self, minutes: int) -> None:
        """Time passes."""
        self.at += minutes * MINUTE
        self._set_clock(self.at)

    def run_schedule(self) -> None:
        """All that happens by itself is done."""
        for entry in SCHEDULED:
            import_string(SCHEDULE[entry]["task"])()

    def step(self, *acts: str) -> None:
        """A few minutes later somebody does something, or nobody can."""
        self.go(self.dice.randint(1, 9))
        act = self.dice.choice(acts)
        self.steps.append(f"{self.at:%H:%M} {act}")
        getattr(self, f"_{act}")()
        if self.dice.random() < 0.3:
            self.run_schedule()
        self.compare_shown()

    # -- what people do -------------------------------------------------------------------------

    def _join(self) -> None:
        absent = sorted(set(PLAYERS) - self.record.taking_part - self.record.banned - self.record.disqualified)
        if absent and self.at < self.cup.ends_at:
            name = self.dice.choice(absent)
            them = player(name)
            save_preference(them, NoticeSettings(quiet_from=0, quiet_until=0))
            join(self.cup, them, self.at)
            self.steps[-1] += f" {name}"
            self.record.join(name)

    def _leave(self) -> None:
        if self.record.playing and self.at < self.cup.ends_at and self.dice.random() < 0.3:
            name = self.dice.choice(self.record.playing)
            leave(self.cup, player(name), self.at)
            self.steps[-1] += f" {name}"
            self.record.leave(name)

    def _score(self) -> None:
        for name in self.dice.sample(PLAYERS, k=3):
            points, id_ = self.dice.randint(0, 50), f"{len(self.steps)}"
            [outcome] = score(self.cup, {name: points}, self.at, id_)
            runs = self.cup.starts_at <= self.at < self.cup.ends_at
            assert outcome.status.is_accepted == (runs and name in self.record.playing), (outcome, self.steps)
            if outcome.status.is_accepted:
                self.record.entered.append(Entered(f"{id_}:{name}", name, points, self.at))

    def _ban(self) -> None:
        name = self.dice.choice(PLAYERS)
        player(name)
        self._set_ban(name, self.at)
        self.record.banned.add(name)

    def _let_in(self) -> None:
        if self.record.banned:
            name = self.dice.choice(sorted(self.record.banned))
            self._set_ban(name, None)
            self.record.banned.discard(name)

    def _set_ban(self, name: str, at: datetime | None) -> None:
        Player.objects.filter(external_id=name).update(banned_at=at)
        self.steps[-1] += f" {name}"
        forget_bans()
        clear_hidden_cache()

    def _disqualify(self) -> None:
        if names := sorted(self.record.taking_part - self.record.disqualified):
            name = self.dice.choice(names)
            self.steps[-1] += f" {name}"
            disqualify(self.cup, player(name), "Came by car.", self.at, None)
            self.record.disqualified.add(name)

    def _reinstate(self) -> None:
        if self.record.disqualified:
            name = self.dice.choice(sorted(self.record.disqualified))
            self.steps[-1] += f" {name}"
            reinstate(self.cup, player(name), "On a bicycle, it turns out.", self.at, None)
            self.record.disqualified.discard(name)

    def _void(self) -> None:
        standing = [each for each in self.record.entered if each.counts and not each.id.startswith("late")]
        if standing and self.cup.board.storage != "redis" and self._may_judge():
            chosen = self.dice.choice(standing)
            void(self.cup, Submission.objects.get(external_id=chosen.id), "Not theirs.", self.at, None)
            chosen.counts, chosen.voided = False, True

    def _unvoid(self) -> None:
        if (restorable := self.record.restorable()) and self._may_judge():
            chosen = self.dice.choice(restorable)
            self.steps[-1] += f" {chosen.id}"
            unvoid(self.cup, Submission.objects.get(external_id=chosen.id), "Theirs after all.", self.at, None)
            chosen.counts, chosen.voided = True, False

    def _bring_back(self) -> None:
        if self.record.gone and self._may_judge():
            name = self.dice.choice(sorted(self.record.gone))
            self.steps[-1] += f" {name}"
            bring_back(self.cup, player(name), "They left by mistake.", self.at, None)
            self.record.bring_back(name, self.cup.board.storage != "redis")

    def _may_judge(self) -> bool:
        """Neither in the grace after the end nor before it is closed."""
        return self.at < self.cup.ends_at or self.cup.closed_at is not None

    def _accept_late(self) -> None:
        if self.cup.closed_at is not None and self.record.playing:
            name, points = self.dice.choice(self.record.playing), self.dice.randint(0, 60)
            joined_at = self.cup.participants.get(player__external_id=name).joined_at
            happened = max(self.cup.ends_at - self.dice.randint(1, 100) * MINUTE, joined_at, self.cup.starts_at)
            late = LateScore(player(name), happened, Decimal(points))
            accept_late(self.cup, late, "The network was down.", self.at, None)
            self.record.entered.append(Entered(f"late-{len(self.steps)}", name, points, happened))

    def _move_end(self) -> None:
        if self.at < self.cup.ends_at and self.dice.random() < 0.3:
            change_end(self.cup, self.at + self.dice.randint(5, 200) * MINUTE, "Rain.", self.at, None)

    def _reveal(self) -> None:
        if self.cup.closed_at is not None and self.cup.is_hidden(self.at):
            reveal(self.cup, self.at, None)

    def _confirm(self) -> None:
        if self.cup.closed_at is not None and self.dice.random() < 0.5:
            confirm(self.cup, self.at, None)

    def _take_back(self) -> None:
        standing = list(RewardGrant.objects.filter(competition=self.number, revoked_at=None).select_related("player"))
        if standing:
            chosen = self.dice.choice(standing)
            name = chosen.player.external_id
            self.steps[-1] += f" {name} {chosen.name}"
            revoke_by_staff([chosen], Reallocation.NEXT, "Two accounts.", self.at)
            self.record.passed_over.add(name)

    def _give_back(self) -> None:
        taken = list(RewardGrant.objects.filter(competition=self.number).exclude(withheld_at=None))
        if taken:
            chosen = self.dice.choice(taken)
            self.steps[-1] += f" {chosen.player.external_id} {chosen.name}"
            with suppress(NotEarned):  # they may be out, or worse by now
                restore_by_staff([chosen], "One, it turns out.", self.at)
                self.record.passed_over.discard(chosen.player.external_id)

    # -- what is seen ---------------------------------------------------------------------------

    def compare_shown(self) -> None:
        """The public sees the record, while nothing is hidden."""
        cup = self.cup
        if not cup.is_hidden(self.at) and cup.starts_at <= self.at:
            seen = {name: (rank, points) for name, rank, points in ranks(cup, self.at)}
            wanted = {name: (rank, self.record.points()[name]) for name, rank in self.record.ranks().items()}
            assert seen == wanted, "; ".join(self.steps)


@pytest.fixture
def set_clock(monkeypatch: pytest.MonkeyPatch) -> Callable[[datetime], None]:
    """From now on it is this moment, until the next."""
    return lambda at: monkeypatch.setattr(clock, "_FAST", (0.0, at.timestamp(), 0.0))


def walked(storage: str, seed: int, set_clock: Callable[[datetime], None]) -> Walk:
    """From before the start to long after the confirmation."""
    walk = Walk(storage, seed, set_clock)
    for _ in range(6):
        walk.step("join")
    while walk.at < walk.cup.ends_at:
        walk.step("join", "leave", "score", "score", "score", "ban", "let_in", "disqualify", "reinstate", "void",
                  "unvoid", "bring_back", "move_end")  # fmt: skip  # as a list
    walk.go(5)
    walk.run_schedule()
    assert walk.cup.closed_at is not None, walk.steps
    for _ in range(20):
        walk.step("ban", "let_in", "disqualify", "reinstate", "void", "unvoid", "bring_back", "accept_late", "reveal",
                  "confirm")  # fmt: skip  # as a list
    walk.go(REVIEW_HOURS * 60)
    walk.run_schedule()
    if walk.cup.is_hidden(walk.at):
        reveal(walk.cup, walk.at, None)
    walk.run_schedule()
    for _ in range(8):
        walk.step("take_back", "take_back", "give_back", "ban", "let_in", "disqualify", "reinstate")
    for _ in range(3):  # a ban counts a little later, and what a revision brings comes after it
        walk.go(1)
        walk.run_schedule()
    return walk


def compare(walk: Walk) -> None:
    """Result, revisions, webhooks, rewards and notices, with the record."""
    cup, record = walk.cup, walk.record
    assert cup.phase(walk.at) is Phase.FINAL
    walk.compare_shown()
    compare_revisions(cup, record)
    compare_revised(cup)
    compare_rewards(cup, record, PRIZES)
    compare_notices(cup, record)


def test_a_walk_comes_to_what_its_record_says(set_clock: Callable[[datetime], None]) -> None:
    walk = walked("hybrid", 45, set_clock)

    compare(walk)
    judged = set(walk.cup.changes.values_list("kind", flat=True))
    assert judged >= {"disqualified", "reinstated", "voided", "restored", "brought_back", "accepted", "extended"}


@pytest.mark.long
@pytest.mark.parametrize(
    ("storage", "seed"), [("hybrid", 2), ("hybrid", 7), ("redis", 0), ("redis", 35), ("sql", 2), ("sql", 34)]
)
def test_any_walk_comes_to_what_its_record_says(storage: str, seed: int, set_clock: Callable[[datetime], None]) -> None:
    walk = walked(storage, seed, set_clock)
    assert Participant.objects.filter(competition=walk.number).exists()

    compare(walk)
