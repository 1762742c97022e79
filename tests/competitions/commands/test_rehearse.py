"""The rehearsal: it comes out exactly, finds what is wrong, leaves others in peace, and cancels what was cut off."""

import json
import random
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.core.management.base import CommandError

from competitions.management.record import PRIZES
from competitions.management.rehearsal import Rehearsal
from competitions.management.verdict import Verdict, judge
from competitions.models import Competition, Notice, NoticeKind, RewardGrant, Snapshot
from foundation import clock
from leaderboards.models import FinalStanding, Period, State
from tests.competitions import site
from tests.competitions.services.telling import contest, noticed, snapshot
from tests.leaderboards.commands.calls import run

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]

HOUR = timedelta(hours=1)


def rehearsed(meanwhile: Callable[[int], None] = lambda _: None) -> Rehearsal:
    rehearsal = Rehearsal(8, lambda _: None, random.Random(7))
    rehearsal.run(0, meanwhile)
    return rehearsal


def test_it_prints_a_timeline_and_at_last_one_line_of_json_in_which_nothing_is_wrong() -> None:
    printed = run("competition_rehearse", "--participants", 20, "--seconds", 0, "--seed", 3)

    *timeline, last = printed.out.splitlines()
    told = json.loads(last)
    assert told.keys() == set(Verdict.__slots__)
    assert (told["participants"], told["rank_mismatches"], told["duplicates"], told["missing"]) == (20, 0, 0, 0)
    assert told["submissions"] > 140
    assert told["rewards"] >= len(PRIZES)
    assert told["notifications"]["extended"] == 20
    assert told["notifications"].keys() >= {"first_taken", "first_lost", "top10_entered", "summary", "disqualified"}
    for step in ("joined", "end is moved", "disqualified", "frozen", "final", "revealed", "rewards"):
        assert any(step in line for line in timeline), step


@pytest.mark.long
def test_a_seed_repeats_a_rehearsal() -> None:
    one, other = (run("competition_rehearse", "--participants", 8, "--seconds", 0, "--seed", 3) for _ in range(2))

    assert one.out.splitlines()[-1] == other.out.splitlines()[-1]


@pytest.mark.long
def test_it_leaves_others_as_they_are_and_finds_what_is_missing_there_twice_or_wrong() -> None:
    now = clock.now()
    running = contest("ann", "bob", starts_at=now - 9 * HOUR, ends_at=now + HOUR)
    compared_by_others = snapshot(running, now - HOUR, "ann", "bob")
    noticed(running, "ann", "first_taken", at=now.replace(hour=2))
    ended = site.open_competition(site.make_board(name="Ended"))
    Period.objects.filter(label=ended.label).update(state=State.FINAL, closed_at=now)
    Competition.objects.filter(pk=ended.pk).update(final_at=now)

    rehearsal = rehearsed()

    cup, record = rehearsal.competition, rehearsal.record
    assert judge(cup, record).is_good
    assert Notice.objects.get(competition=running).held_until is not None
    assert Snapshot.objects.get(pk=compared_by_others.pk).compared_at is None
    assert site.reloaded(running).final_at is None
    period = Period.objects.get(label=ended.label)
    assert not period.reward_grants.exists()
    assert not hasattr(period, "reward_run")

    lost = Notice.objects.filter(competition=cup, kind=NoticeKind.FIRST_TAKEN)[0]
    lost.delete()
    Notice.objects.create(competition=cup, player=lost.player, kind="extended", created_at=now)
    RewardGrant.objects.filter(competition=cup, name="Gold").delete()
    last, before_last = FinalStanding.objects.filter(period__label=cup.label).order_by("-place")[:2]
    FinalStanding.objects.filter(period=last.period_id, place=last.place).update(rank=before_last.rank)
    verdict = judge(cup, record)
    assert (verdict.missing, verdict.duplicates, verdict.rank_mismatches) == (2, 1, 1)
    assert not verdict.is_good


def test_what_is_cut_off_is_cancelled_and_the_clock_is_right_again() -> None:
    def interrupt(half_hour: int) -> None:
        if half_hour == 6:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        rehearsed(interrupt)

    assert Competition.objects.get().cancelled_at is not None
    assert not clock.is_fast()


def test_so_few_or_many_cannot_be_rehearsed() -> None:
    for count in ("3", "5001", "many"):
        with pytest.raises(CommandError):
            run("competition_rehearse", "--participants", count)

    assert not Competition.objects.exists()
